export type Shift = { employee: string; day: string; start: string; end: string; role: string };
export type Employee = { name: string; roles: string[]; maxHours?: number };
export type Need = { role: string; from: string; to: string; count: number };
export type Problem = { kind: string; who: string; day: string; detail: string };

const HOUR = 60;

function toMinutes(time: string): number {
  return Number(time.slice(0, 2)) * HOUR + Number(time.slice(3, 5));
}

/** Minutes since 1970; a shift that ends before it starts ends on the next day. */
function span(shift: Shift): { start: number; end: number } {
  const midnight = new Date(`${shift.day}T00:00:00Z`).getTime() / 60000;
  const start = midnight + toMinutes(shift.start);
  const end = midnight + toMinutes(shift.end);
  return { start, end: end <= start ? end + 24 * HOUR : end };
}

function mondayOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}

/**
 * Checks a rota: whether people are qualified, rest eleven hours between shifts
 * and stay below their weekly hours, and whether every need is covered in each
 * half hour of each day of the rota.
 */
export function checkRota(shifts: Shift[], staff: Employee[], needs: Need[], restHours = 11): Problem[] {
  const problems: Problem[] = [];

  for (const shift of shifts) {
    const employee = staff.find((person) => person.name === shift.employee);
    if (!employee) problems.push({ kind: 'unknown', who: shift.employee, day: shift.day, detail: 'not on the staff list' });
    else if (!employee.roles.includes(shift.role))
      problems.push({ kind: 'skill', who: employee.name, day: shift.day, detail: `not trained as ${shift.role}` });
  }

  for (const { name, maxHours = 40 } of staff) {
    const own = shifts.filter((shift) => shift.employee === name).sort((a, b) => span(a).start - span(b).start);
    own.forEach((shift, at) => {
      const previous = own[at - 1];
      if (!previous) return;
      const rest = span(shift).start - span(previous).end;
      if (rest < 0) problems.push({ kind: 'overlap', who: name, day: shift.day, detail: `begins before ${previous.end}` });
      else if (rest < restHours * HOUR)
        problems.push({ kind: 'rest', who: name, day: shift.day, detail: `only ${(rest / HOUR).toFixed(1)} hours` });
    });
    for (const week of new Set(own.map((shift) => mondayOf(shift.day)))) {
      const inWeek = own.filter((shift) => mondayOf(shift.day) === week);
      const hours = inWeek.reduce((sum, shift) => sum + span(shift).end - span(shift).start, 0) / HOUR;
      if (hours > maxHours) problems.push({ kind: 'hours', who: name, day: week, detail: `${hours} of ${maxHours} hours` });
    }
  }

  const days = [...new Set(shifts.map((shift) => shift.day))].sort();
  for (const day of days) {
    for (const need of needs) {
      const { start, end } = span({ employee: '', day, start: need.from, end: need.to, role: need.role });
      const short: number[] = [];
      for (let time = start; time < end; time += HOUR / 2) {
        const present = shifts.filter((s) => s.role === need.role && span(s).start <= time && span(s).end > time).length;
        if (present < need.count) short.push(need.count - present);
      }
      if (short.length > 0) {
        const detail = `${short.length / 2} hours, up to ${Math.max(...short)} short`;
        problems.push({ kind: 'cover', who: need.role, day, detail });
      }
    }
  }
  return problems;
}

export function inputs(): [Shift[], Employee[], Need[]][] {
  let state = 53;
  const draw = (count: number) => {
    state = (state * 48271) % 2147483647;
    return state % count;
  };
  const roles = ['nurse', 'cook', 'porter'];
  const role = () => roles[draw(3)] ?? 'nurse';
  const times = [
    ['06:00', '14:00'],
    ['14:00', '22:00'],
    ['22:00', '06:00'],
    ['09:00', '17:30'],
  ];
  const call = (people: number, days: number, perDay: number): [Shift[], Employee[], Need[]] => [
    Array.from({ length: days * perDay }, (_, at) => {
      const [start = '09:00', end = '17:00'] = times[draw(4)] ?? [];
      const day = `2024-05-${String(1 + (at % days)).padStart(2, '0')}`;
      return { employee: `Person ${draw(people + 1)}`, day, start, end, role: role() };
    }),
    Array.from({ length: people }, (_, at) => ({
      name: `Person ${at}`,
      roles: roles.filter(() => draw(4) > 0),
      ...(draw(3) === 0 ? { maxHours: 20 + draw(20) } : {}),
    })),
    [
      { role: 'nurse', from: '06:00', to: '22:00', count: 2 },
      { role: 'cook', from: '09:00', to: '17:00', count: 1 },
      { role: 'nurse', from: '22:00', to: '06:00', count: 1 },
    ].slice(0, 1 + draw(3)),
  ];
  return [call(2, 2, 2), call(5, 4, 4), call(8, 6, 6), call(10, 8, 7)];
}
