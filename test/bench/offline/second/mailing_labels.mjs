/** Makes one label for each address, however its lines are written, with the names of all who live there. */
export function mailingLabels(people) {
  const labels = [];
  for (const person of people) {
    const address = cleaned(person.address);
    if (address.street === '' || address.town === '') continue;
    const same = labels.find((label) => JSON.stringify(label.address) === JSON.stringify(address));
    if (same === undefined) labels.push({ address, names: [person.name] });
    else if (!same.names.includes(person.name)) same.names.push(person.name);
  }

  return labels.map(({ address, names }) => {
    const addressees = names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} others`] : names;
    return [addressees.join(', '), address.street, `${address.code} ${address.town}`.trim()].join('\n').toUpperCase();
  });
}

function cleaned(address) {
  return {
    street: address.street
      .trim()
      .toLowerCase()
      .replace(/\bst\b\.?/g, 'street')
      .replace(/\s+/g, ' '),
    code: (address.code ?? '').replace(/\D/g, ''),
    town: address.town.trim().toLowerCase(),
  };
}

export function inputs() {
  const people = [
    { name: 'Ann Lee', address: { street: '5 High St.', code: '10 115', town: 'Ely' } },
    { name: 'Tom Lee', address: { street: '5  high street', code: '10115', town: 'ely ' } },
    { name: 'Eve Roe', address: { street: '1 Mill Lane', town: 'Bath' } },
    { name: 'Nobody', address: { street: '', town: 'Bath' } },
  ];
  return [[people], [people.slice(1, 3)], [[]]];
}
