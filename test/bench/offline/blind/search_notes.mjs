/** The notes that contain every term of a query, the best match first. */
export function searchNotes(notes, query, limit) {
  const hits = [];
  for (const note of notes) {
    const terms = query.trim().toLowerCase().split(/\s+/);
    if (!terms.every((term) => note.title.toLowerCase().includes(term) || note.body.toLowerCase().includes(term))) continue;
    let score = 0;
    for (const term of terms) {
      if (note.title.toLowerCase().includes(term)) score += 10;
      for (const word of note.body.toLowerCase().split(/\W+/)) {
        if (word === term) score += 1;
      }
    }
    for (const tag of note.tags) {
      if (terms.includes(tag.toLowerCase())) score += 5;
    }
    hits.push({ id: note.id, score, changed: note.changed });
  }
  return hits
    .sort((a, b) => b.score - a.score || b.changed - a.changed)
    .slice(0, limit)
    .map((hit) => hit.id);
}

export function inputs() {
  return [
    [
      [
        { id: 1, title: 'Shopping', body: 'milk, bread and more milk', tags: ['home'], changed: 3 },
        { id: 2, title: 'Bread recipe', body: 'Flour, water, salt. Bake the bread.', tags: ['Kitchen', 'bread'], changed: 9 },
        { id: 3, title: 'Work', body: 'call the bank about bread money', tags: [], changed: 5 },
        { id: 4, title: 'Garden', body: 'apples', tags: ['home'], changed: 1 },
      ],
      'Bread ',
      2,
    ],
    [[{ id: 7, title: 'A b', body: 'c d', tags: ['c'], changed: 1 }], 'b c', 5],
  ];
}
