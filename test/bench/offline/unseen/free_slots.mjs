/** The minutes of a day in which nobody of a team has an appointment, as [from, to] pairs. */
export function freeSlots(appointments) {
  const busy = [];
  for (const person of appointments) {
    for (const [from, to] of person) {
      for (let minute = from; minute < to; minute++) {
        if (!busy.includes(minute)) busy.push(minute);
      }
    }
  }
  const slots = [];
  let from = null;
  for (let minute = 0; minute <= 1440; minute++) {
    const isFree = minute < 1440 && !busy.includes(minute);
    if (isFree && from === null) from = minute;
    if (!isFree && from !== null) {
      slots.push([from, minute]);
      from = null;
    }
  }
  return slots;
}

export function inputs() {
  const team = [];
  for (let p = 0; p < 6; p++)
    team.push([
      [480 + p * 40, 540 + p * 45],
      [780 + p * 10, 830 + p * 12],
    ]);
  return [[team], [[]], [[[[0, 1440]]]]];
}
