/** Finds entries of an address book that are probably the same contact. */

/** Groups of contacts that belong together, each with a suggestion for the merged entry. */
export function duplicateContacts(contacts, threshold = 0.75) {
  if (threshold <= 0 || threshold > 1) throw new RangeError('the threshold lies between 0 and 1');
  let groups = contacts.map((_, index) => [index]);
  const reasons = [];
  for (let first = 0; first < contacts.length; first++) {
    for (let second = first + 1; second < contacts.length; second++) {
      const reason = sameReason(contacts[first], contacts[second], threshold);
      if (reason === null) continue;
      reasons.push({ first, second, reason });
      const one = groups.find((group) => group.includes(first));
      const other = groups.find((group) => group.includes(second));
      if (one !== other) {
        groups = groups.filter((group) => group !== one && group !== other);
        groups.push([...one, ...other].sort((a, b) => a - b));
      }
    }
  }
  const merged = groups
    .filter((group) => group.length > 1)
    .sort((a, b) => a[0] - b[0])
    .map((group) => ({ members: group, entry: mergeEntries(group.map((index) => contacts[index])) }));
  return { groups: merged, reasons, single: groups.length - merged.length };
}

function sameReason(one, other, threshold) {
  const emails = [one, other].map((contact) => (contact.email ?? '').trim().toLowerCase());
  if (emails[0] !== '' && emails[0] === emails[1]) return 'email';
  const phones = [one, other].map((contact) => digitsOf(contact.phone));
  if (phones[0].length >= 6 && phones[0] === phones[1]) return 'phone';
  // Namesakes in different towns are different people.
  if (one.city && other.city && one.city.toLowerCase() !== other.city.toLowerCase()) return null;
  return similarity(nameOf(one), nameOf(other)) >= threshold ? 'name' : null;
}

/** The last nine digits, so that a country code does not matter. */
const digitsOf = (phone) => (phone ?? '').replace(/\D/g, '').slice(-9);

const nameOf = (contact) =>
  (contact.name ?? '')
    .normalize('NFD')
    .replace(/[^a-zA-Z ]/g, '')
    .toLowerCase()
    .trim();

function pairsOf(text) {
  const pairs = [];
  for (const word of text.split(/\s+/)) {
    for (let at = 0; at + 1 < word.length; at++) pairs.push(word.slice(at, at + 2));
  }
  return pairs;
}

/** Share of the letter pairs that two names have in common. */
function similarity(one, other) {
  const left = pairsOf(one);
  const right = pairsOf(other);
  const total = left.length + right.length;
  if (total === 0) return 0;
  let common = 0;
  for (const pair of left) {
    const at = right.indexOf(pair);
    if (at >= 0) {
      common += 1;
      right.splice(at, 1);
    }
  }
  return (2 * common) / total;
}

/** The longest name, and for the other fields the first that is filled in. */
function mergeEntries(entries) {
  const names = entries.map((entry) => entry.name ?? '');
  const entry = { name: names.reduce((best, name) => (name.length > best.length ? name : best), '') };
  for (const field of ['email', 'phone', 'city']) entry[field] = entries.find((other) => other[field])?.[field] ?? null;
  return entry;
}

export function inputs() {
  let state = 63;
  const roll = (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
  const starts = ['Mar', 'Jo', 'An', 'Lu', 'Pet', 'Cor', 'Sal', 'Vik', 'Ev', 'Tho', 'Ger', 'Bri'];
  const ends = ['tin', 'hanna', 'dreas', 'ise', 'ra', 'nelia', 'vatore', 'tor', 'elyn', 'mas', 'da', 'gitte'];
  const families = ['Berg', 'Stein', 'Wald', 'Hof', 'Müller', 'Bach', 'Feld', 'Lind'];
  const part = (list) => list[roll(list.length)];
  const call = (count) => {
    const contacts = [];
    for (let index = 0; index < count; index++) {
      const name = `${part(starts)}${part(ends)} ${part(families)}${roll(3) === 0 ? '' : part(families).toLowerCase()}`;
      const contact = { name, city: part(['Bern', 'Ulm', 'Graz', 'Trier', 'Lyon', 'Gent']) };
      if (roll(3) > 0) contact.email = `${name.slice(0, 4)}${roll(count * 3)}@example.org`.toLowerCase();
      if (roll(3) > 0) contact.phone = `+49 30 ${100000 + roll(count * 4)}`;
      contacts.push(contact);
      if (roll(12) === 0) contacts.push({ ...contact, name: name.toUpperCase(), city: null });
    }
    return [contacts];
  };
  return [call(2), call(12), call(50), call(130)];
}
