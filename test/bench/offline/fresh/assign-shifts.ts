interface Worker {
  name: string;
  skills: string[];
  maximum: number;
}

interface Shift {
  id: string;
  skill: string;
  hours: number;
}

/** Gives each shift to the worker with the skill who has the fewest hours so far; shifts that nobody can take are left open. */
export function assignShifts(workers: Worker[], shifts: Shift[]): { shift: string; worker: string | null }[] {
  const hours = new Map<string, number>();
  const hoursOf = (worker: Worker) => hours.get(worker.name) ?? 0;
  const plan: { shift: string; worker: string | null }[] = [];
  for (const shift of [...shifts].sort((a, b) => b.hours - a.hours)) {
    const able = workers
      .filter((worker) => worker.skills.includes(shift.skill))
      .filter((worker) => hoursOf(worker) + shift.hours <= worker.maximum)
      .sort((a, b) => hoursOf(a) - hoursOf(b));
    const chosen = able[0];
    if (chosen === undefined) {
      plan.push({ shift: shift.id, worker: null });
      continue;
    }
    hours.set(chosen.name, hoursOf(chosen) + shift.hours);
    plan.push({ shift: shift.id, worker: chosen.name });
  }
  return plan;
}

export function inputs() {
  return [
    [
      [
        { name: 'ann', skills: ['bar', 'till'], maximum: 12 },
        { name: 'bob', skills: ['bar'], maximum: 8 },
      ],
      [
        { id: 's1', skill: 'bar', hours: 6 },
        { id: 's2', skill: 'till', hours: 4 },
        { id: 's3', skill: 'bar', hours: 8 },
      ],
    ],
    [[], [{ id: 's9', skill: 'bar', hours: 2 }]],
  ];
}
