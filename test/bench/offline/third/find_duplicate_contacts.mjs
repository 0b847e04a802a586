function normalizePhone(phone) {
  const digits = (phone || '').replace(/[^0-9+]/g, '');
  return digits.replace(/^\+/, '00').replace(/^0049/, '0');
}

function normalizeEmail(email) {
  return (email || '')
    .trim()
    .toLowerCase()
    .replace(/\+[^@]*@/, '@');
}

function normalizeName(name) {
  return (name || '').trim().toLowerCase().split(/\s+/).sort().join(' ');
}

function sameContact(a, b) {
  const reasons = [];
  const emailA = normalizeEmail(a.email);
  if (emailA !== '' && emailA === normalizeEmail(b.email)) {
    reasons.push('email');
  }
  const phoneA = normalizePhone(a.phone);
  if (phoneA !== '' && phoneA === normalizePhone(b.phone)) {
    reasons.push('phone');
  }
  const nameA = normalizeName(a.name);
  if (nameA !== '' && nameA === normalizeName(b.name) && a.zip && a.zip === b.zip) {
    reasons.push('name');
  }
  return reasons;
}

/**
 * Finds pairs of contacts that are probably the same contact: same email
 * address, same phone number, or same name (in any order) and postcode.
 *
 * @param {Array<{id: number, name?: string, email?: string, phone?: string, zip?: string}>} contacts
 * @returns {{pairs: Array<{first: number, second: number, reasons: string[]}>, unique: number}}
 */
export function findDuplicateContacts(contacts) {
  const pairs = [];
  const duplicates = new Set();
  for (let i = 0; i < contacts.length; i++) {
    for (let j = i + 1; j < contacts.length; j++) {
      const reasons = sameContact(contacts[i], contacts[j]);
      if (reasons.length > 0) {
        pairs.push({ first: contacts[i].id, second: contacts[j].id, reasons });
        duplicates.add(j);
      }
    }
  }
  return { pairs, unique: contacts.length - duplicates.size };
}

export function inputs() {
  let state = 7;
  const draw = (count) => {
    state = (state * 48271) % 2147483647;
    return state % count;
  };
  const first = ['Anna', 'Ben', 'Clara', 'Felix', 'Ida', 'Nora', 'Otto', 'Paula', 'Tina', 'Uwe', 'Vera', 'Yara'];
  const last = ['Adler', 'Bauer', 'Dietz', 'Engel', 'Graf', 'Huber', 'Otto', 'Peters', 'Weber', 'Ziegler'];
  const contacts = (count) => {
    const made = [];
    while (made.length < count) {
      const [given, family, id] = [first[draw(12)], last[draw(10)], made.length + 1];
      const email = `${given}.${family}${['+news', draw(1000)][draw(2)]}@${['mail', 'firma'][draw(2)]}.example`.toLowerCase();
      const phone = `0${[30, 40, 89, 221][draw(4)]} ${100 + draw(900)}-${1000 + draw(9000)}`;
      const whole = { id, name: `${given} ${family}`, email, phone, zip: `${10000 + draw(80000)}` };
      const { name, zip } = whole;
      const others = [
        { id, name, email },
        { id, name, phone, zip },
        { id, name, email, zip },
      ];
      made.push(draw(3) > 0 ? whole : others[draw(3)]);
      const again = [
        { id: id + 1, name: `${family} ${given}`, phone, zip },
        { id: id + 1, name, email: ` ${email.toUpperCase()}` },
        { id: id + 1, name, phone: phone.replace('0', '+49 '), zip: '10115' },
      ];
      if (draw(6) === 0 && made.length < count) made.push(again[draw(3)]);
    }
    return made;
  };
  return [[contacts(5)], [contacts(30)], [contacts(120)], [contacts(200)]];
}
