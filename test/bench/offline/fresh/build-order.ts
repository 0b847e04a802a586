interface Task {
  name: string;
  needs: string[];
}

/** An order in which all tasks can run; tasks that wait for each other, or for one that does not exist, are reported. */
export function buildOrder(tasks: Task[]): { order: string[]; blocked: string[] } {
  const order: string[] = [];
  let waiting = [...tasks];
  while (waiting.length > 0) {
    const next = waiting.find((task) => task.needs.every((need) => order.includes(need)));
    if (next === undefined) break;
    order.push(next.name);
    waiting = waiting.filter((task) => task !== next);
  }
  return { order, blocked: waiting.map((task) => task.name) };
}

export function inputs() {
  return [
    [
      [
        { name: 'app', needs: ['lib', 'css'] },
        { name: 'css', needs: [] },
        { name: 'lib', needs: ['core'] },
        { name: 'core', needs: [] },
        { name: 'lost', needs: ['gone'] },
      ],
    ],
    [[{ name: 'one', needs: [] }]],
  ];
}
