/** How many lines of each level each hour of a log has, and the messages of its errors. */
export function logSummary(lines) {
  const hours = [];
  const errors = [];
  for (const line of lines) {
    const [time, level, ...rest] = line.split(' ');
    const hour = time.slice(0, 2);
    let entry = hours.find((each) => each.hour === hour && each.level === level);
    if (!entry) {
      entry = { hour, level, count: 0 };
      hours.push(entry);
    }
    entry.count += 1;
    if (level === 'ERROR') {
      const message = rest.join(' ');
      if (!errors.includes(message)) errors.push(message);
    }
  }
  hours.sort((a, b) => a.hour.localeCompare(b.hour) || a.level.localeCompare(b.level));
  return { hours, errors };
}

export function inputs() {
  return [
    [['09:12 INFO started', '09:13 ERROR disk full', '10:01 INFO retry', '10:02 ERROR disk full', '10:05 WARN slow']],
    [['23:59 ERROR no route to host']],
  ];
}
