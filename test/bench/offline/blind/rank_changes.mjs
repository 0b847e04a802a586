/** How the standings of a league changed since last week: who rose, who fell, who is new, who left. */
export function rankChanges(lastWeek, thisWeek) {
  const before = lastWeek.slice().sort((a, b) => b.points - a.points || a.team.localeCompare(b.team));
  const now = thisWeek.slice().sort((a, b) => b.points - a.points || a.team.localeCompare(b.team));
  const changes = now.map((entry) => {
    const rank = now.indexOf(entry) + 1;
    const old = before.findIndex((other) => other.team === entry.team);
    if (old === -1) return { team: entry.team, rank, change: 'new', gained: entry.points };
    const change = old + 1 - rank;
    return {
      team: entry.team,
      rank,
      change: change > 0 ? `+${change}` : String(change),
      gained: entry.points - before[old].points,
    };
  });
  const left = before.filter((entry) => !now.some((other) => other.team === entry.team)).map((entry) => entry.team);
  const climber = changes.filter((each) => each.change.startsWith('+')).sort((a, b) => Number(b.change) - Number(a.change))[0];
  return { changes, left, climber: climber ? climber.team : null };
}

export function inputs() {
  return [
    [
      [
        { team: 'Brann', points: 30 },
        { team: 'Viking', points: 28 },
        { team: 'Molde', points: 27 },
        { team: 'Odd', points: 10 },
      ],
      [
        { team: 'Viking', points: 31 },
        { team: 'Brann', points: 30 },
        { team: 'Molde', points: 30 },
        { team: 'Fram', points: 3 },
      ],
    ],
    [[], [{ team: 'X', points: 1 }]],
  ];
}
