/** Plans the round of a parcel van over a road network. */

const lists = (value) => (Array.isArray(value) ? value : []);

/** Visits the stops, always the nearest next; returns the legs and the total time. */
export function parcelRoute(roads, start, stops, options = {}) {
  const legs = [];
  const skipped = [];
  let place = start;
  let left = [...new Set(lists(stops))].filter((stop) => stop !== start);
  let total = 0;
  while (left.length > 0) {
    const choices = left
      .map((stop) => ({ stop, way: shortestWay(roads, place, stop, options.avoid) }))
      .filter((choice) => choice.way !== null)
      .sort((a, b) => a.way.minutes - b.way.minutes || a.stop.localeCompare(b.stop));
    if (choices.length === 0) {
      if (!options.skipUnreachable) throw new Error(`no way from ${place} to ${left.join(', ')}`);
      skipped.push(...left);
      break;
    }
    const { stop, way } = choices[0];
    legs.push({ from: place, to: stop, minutes: way.minutes, via: way.path.slice(1, -1) });
    total += way.minutes + (options.handling ?? 0);
    left = left.filter((other) => other !== stop);
    place = stop;
  }
  let back = null;
  if (options.returnHome && place !== start) {
    back = shortestWay(roads, place, start, options.avoid);
    if (back !== null) total += back.minutes;
  }
  return { legs, back, total, skipped, late: options.limit !== undefined && total > options.limit };
}

/** Roads that leave a place, in either direction where that is allowed. */
function leaving(roads, place, avoid) {
  const result = [];
  for (const road of roads) {
    if (road.closed || lists(avoid).includes(road.kind)) continue;
    if (road.minutes < 0) throw new RangeError(`negative time between ${road.from} and ${road.to}`);
    if (road.from === place) result.push({ to: road.to, minutes: road.minutes });
    else if (road.to === place && !road.oneWay) result.push({ to: road.from, minutes: road.minutes });
  }
  return result;
}

function shortestWay(roads, from, to, avoid) {
  const queue = [{ place: from, minutes: 0, path: [from] }];
  const done = [];
  while (queue.length > 0) {
    queue.sort((a, b) => a.minutes - b.minutes || a.path.length - b.path.length);
    const current = queue.shift();
    if (current.place === to) return { minutes: current.minutes, path: current.path };
    if (done.includes(current.place)) continue;
    done.push(current.place);
    for (const { to: next, minutes } of leaving(roads, current.place, avoid)) {
      if (!done.includes(next)) {
        queue.push({ place: next, minutes: current.minutes + minutes, path: [...current.path, next] });
      }
    }
  }
  return null;
}

export function inputs() {
  let state = 12;
  const roll = (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
  const call = (width, stopCount) => {
    const roads = [];
    const name = (x, y) => `${String.fromCharCode(65 + x)}${y}`;
    const kind = () => ['street', 'street', 'toll', 'track'][roll(4)];
    for (let x = 0; x < width; x++) {
      for (let y = 0; y < width; y++) {
        const from = name(x, y);
        if (x + 1 < width) roads.push({ from, to: name(x + 1, y), minutes: 2 + roll(9), kind: kind(), oneWay: roll(8) === 0 });
        if (y + 1 < width) roads.push({ from, to: name(x, y + 1), minutes: 2 + roll(9), kind: kind(), closed: roll(14) === 0 });
      }
    }
    const stops = Array.from({ length: stopCount }, () => name(roll(width), roll(width)));
    return [roads, name(0, 0), stops, { handling: 3, returnHome: true, skipUnreachable: true, avoid: ['track'], limit: 120 }];
  };
  return [call(2, 1), call(4, 4), call(7, 7), call(10, 11)];
}
