export interface Stop {
  station: string;
  arrive: string;
  depart: string;
}

export interface Trip {
  line: string;
  stops: Stop[];
}

export interface Leg {
  line: string;
  from: string;
  to: string;
  depart: string;
  arrive: string;
}

/** Times go beyond 24:00 for trains that run past midnight. */
function minutes(time: string): number {
  const [hours, rest] = time.split(':').map(Number);
  return (hours ?? 0) * 60 + (rest ?? 0);
}

function ridesFrom(station: string, trips: Trip[], earliest: number): Leg[] {
  const rides: Leg[] = [];
  for (const trip of trips) {
    const at = trip.stops.findIndex((stop) => stop.station === station && minutes(stop.depart) >= earliest);
    if (at === -1) continue;
    for (const stop of trip.stops.slice(at + 1)) {
      rides.push({
        line: trip.line,
        from: station,
        to: stop.station,
        depart: (trip.stops[at] as Stop).depart,
        arrive: stop.arrive,
      });
    }
  }
  return rides;
}

/**
 * Finds the connection that arrives first, and of those that arrive at the same
 * time one with few changes. Changing trains takes some minutes.
 */
export function planJourney(
  trips: Trip[],
  from: string,
  to: string,
  departAfter: string,
  changeMinutes = 4,
): { legs: Leg[]; duration: number; changes: number } | null {
  let journeys: Record<string, Leg[]> = { [from]: [] };
  let improved = true;

  while (improved) {
    improved = false;
    const next = { ...journeys };
    for (const [station, legs] of Object.entries(journeys)) {
      const last = legs.at(-1);
      const ready = last ? minutes(last.arrive) + changeMinutes : minutes(departAfter);
      for (const ride of ridesFrom(station, trips, ready)) {
        if (ride.to === from) continue;
        const best = next[ride.to]?.at(-1);
        if (!best || minutes(ride.arrive) < minutes(best.arrive)) {
          next[ride.to] = [...legs, ride];
          improved = true;
        }
      }
    }
    journeys = next;
  }

  const legs = journeys[to];
  if (!legs) return null;
  const first = legs[0];
  const last = legs.at(-1);
  if (!first || !last) return { legs: [], duration: 0, changes: 0 };
  return { legs, duration: minutes(last.arrive) - minutes(first.depart), changes: legs.length - 1 };
}

export function inputs(): [Trip[], string, string, string, number?][] {
  let state = 47;
  const draw = (count: number) => {
    state = (state * 48271) % 2147483647;
    return state % count;
  };
  const clock = (minute: number) => `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  const network = (lines: number, runs: number, stations: number): Trip[] =>
    Array.from({ length: lines }, (_, line) => {
      const route = [...new Set(Array.from({ length: 4 + draw(5) }, () => `S${draw(stations)}`))];
      const pauses = route.map(() => 4 + draw(17));
      return Array.from({ length: runs }, (_, run) => {
        let time = 300 + line * 7 + run * Math.floor(1080 / runs);
        const stops = route.map((station, at) => {
          const arrive = clock(time);
          const depart = clock(time + 1);
          time += pauses[at] ?? 5;
          return { station, arrive, depart };
        });
        return { line: `L${line + 1}`, stops: run % 2 === 1 ? stops : stops.slice(0, 7) };
      });
    }).flat();
  const call = (trips: Trip[], ...rest: [string, number?]): [Trip[], string, string, string, number?] => [
    trips,
    trips[0]?.stops[0]?.station ?? 'S0',
    trips.at(-1)?.stops.at(-1)?.station ?? 'S1',
    ...rest,
  ];
  return [
    call(network(2, 3, 6), '05:00'),
    call(network(6, 6, 14), '07:30', 2),
    call(network(9, 10, 20), '06:10'),
    call(network(12, 20, 32), '08:00', 5),
  ];
}
