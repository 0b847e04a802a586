/** How many visitors were in the house at each full hour. */
export function visitsByHour(visits) {
  const hours = [];
  for (let hour = 0; hour < 24; hour++) {
    let inside = 0;
    for (const visit of visits) {
      const [from, to] = visit.split('-').map((time) => {
        const [h, m] = time.split(':');
        return Number(h) * 60 + Number(m);
      });
      if (from <= hour * 60 && hour * 60 < to) inside++;
    }
    hours.push(inside);
  }
  return hours;
}

export function inputs() {
  const visits = Array.from(
    { length: 150 },
    (_, i) => `${(i * 7) % 20}:${10 + (i % 50)}-${((i * 7) % 20) + 1 + (i % 3)}:${10 + (i % 40)}`,
  );
  return [[visits], [[]], [['8:00-9:30', '9:00-10:00']]];
}
