export interface Road {
  from: string;
  to: string;
  km: number;
  oneWay?: boolean;
  closed?: boolean;
}

export interface Route {
  found: boolean;
  km: number;
  stops: string[];
  visited: number;
}

function neighbours(roads: Road[], place: string): { place: string; km: number }[] {
  const forward = roads.filter((road) => !road.closed && road.from === place).map((road) => ({ place: road.to, km: road.km }));
  const backward = roads
    .filter((road) => !road.closed && !road.oneWay && road.to === place)
    .map((road) => ({ place: road.from, km: road.km }));
  return [...forward, ...backward];
}

function closest(distances: Map<string, number>, done: Set<string>): string | null {
  let best: string | null = null;
  for (const [place, km] of distances) {
    if (done.has(place)) continue;
    if (best === null || km < (distances.get(best) as number)) {
      best = place;
    }
  }
  return best;
}

/** Finds the shortest way between two places (Dijkstra), with all the stops. */
export function shortestRoute(roads: Road[], start: string, goal: string): Route {
  const distances = new Map<string, number>([[start, 0]]);
  const previous = new Map<string, string>();
  const done = new Set<string>();

  let current = closest(distances, done);
  while (current !== null && current !== goal) {
    done.add(current);
    const travelled = distances.get(current) as number;
    for (const next of neighbours(roads, current)) {
      const km = travelled + next.km;
      const known = distances.get(next.place);
      if (known === undefined || km < known) {
        distances.set(next.place, km);
        previous.set(next.place, current);
      }
    }
    current = closest(distances, done);
  }

  if (current === null) {
    return { found: false, km: -1, stops: [], visited: done.size };
  }
  const stops = [goal];
  while (stops[0] !== start) {
    stops.unshift(previous.get(stops[0] as string) as string);
  }
  return { found: true, km: distances.get(goal) as number, stops, visited: done.size };
}

export function inputs(): [Road[], string, string][] {
  let state = 7;
  const draw = (count: number) => {
    state = (state * 48271) % 2147483647;
    return state % count;
  };
  const grid = (size: number): Road[] => {
    const roads: Road[] = [];
    for (let at = 0; at < size * size; at++) {
      const [row, column] = [Math.floor(at / size), at % size];
      const from = `n${row}-${column}`;
      const kind = () => [{ oneWay: true }, { closed: true }][draw(30)] ?? {};
      if (row + 1 < size) roads.push({ from, to: `n${row + 1}-${column}`, km: 3 + draw(58), ...kind() });
      if (column + 1 < size) roads.push({ from, to: `n${row}-${column + 1}`, km: 3 + draw(58), ...kind() });
    }
    const keys = new Map(roads.map((road) => [road, draw(1000)]));
    return roads.sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
  };
  const small = [
    { from: 'A', to: 'B', km: 5 },
    { from: 'B', to: 'C', km: 4 },
    { from: 'A', to: 'C', km: 12 },
  ];
  return [
    [small, 'A', 'C'],
    [grid(5), 'n0-0', 'n4-4'],
    [grid(10), 'n0-0', 'nowhere'],
    [grid(20), 'n1-0', 'n19-19'],
  ];
}
