/** Writes the events from one day to another as an agenda by day and marks those that start before the one above has ended. */
export function agenda(events, from, to) {
  const chosen = events
    .filter((event) => startOf(event) >= new Date(`${from}T00:00:00Z`))
    .filter((event) => startOf(event) < new Date(`${to}T24:00:00Z`))
    .sort((a, b) => startOf(a) - startOf(b) || a.title.localeCompare(b.title));

  const lines = [];
  let day = '';
  let busyUntil = 0;
  for (const event of chosen) {
    const start = startOf(event);
    if (event.date !== day) {
      day = event.date;
      lines.push(`${WEEKDAYS[start.getUTCDay()]} ${day}`);
    }
    const clash = start.getTime() < busyUntil ? ' (!)' : '';
    lines.push(`  ${event.time} ${event.title}${clash}`);
    busyUntil = Math.max(busyUntil, start.getTime() + event.minutes * 60_000);
  }
  return lines;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function startOf(event) {
  return new Date(`${event.date}T${event.time}:00Z`);
}

export function inputs() {
  const events = [
    { date: '2024-05-03', time: '14:00', title: 'Budget', minutes: 60 },
    { date: '2024-05-02', time: '09:30', title: 'Stand-up', minutes: 15 },
    { date: '2024-05-03', time: '14:30', title: 'Call with Oslo', minutes: 30 },
    { date: '2024-06-01', time: '08:00', title: 'Journey', minutes: 240 },
  ];
  return [
    [events, '2024-05-01', '2024-05-31'],
    [events, '2024-05-03', '2024-06-01'],
    [[], '2024-05-01', '2024-05-02'],
  ];
}
