/** Plans the walk of a picker through the warehouse; bins are named like "B-03-2": aisle, bay and level. */
export function planPickRound(order, stock, start = 'A-01-1') {
  const picks = [];
  const short = [];
  for (const line of mergeLines(order)) {
    let wanted = line.quantity;
    const places = stock
      .filter((place) => place.sku === line.sku && (place.quantity ?? 0) > 0 && !place.blocked)
      .sort((a, b) => a.quantity - b.quantity || distance(start, a.bin) - distance(start, b.bin));
    // A bin that covers the whole line saves a stop.
    const whole = places.find((place) => place.quantity >= wanted);
    for (const place of whole ? [whole] : places) {
      const taken = Math.min(wanted, place.quantity);
      picks.push({ bin: place.bin, sku: line.sku, quantity: taken });
      wanted -= taken;
    }
    if (wanted > 0) short.push({ sku: line.sku, missing: wanted });
  }

  const round = [];
  let here = start;
  let walked = 0;
  while (picks.length > 0) {
    picks.sort((a, b) => distance(here, a.bin) - distance(here, b.bin) || (a.bin < b.bin ? -1 : a.bin > b.bin ? 1 : 0));
    const next = picks.shift();
    walked += distance(here, next.bin);
    here = next.bin;
    round.push({ ...next, walked });
  }
  return { round, short, walked: walked + distance(here, start) };
}

function mergeLines(order) {
  const merged = [];
  for (const line of order) {
    if (line.quantity <= 0) continue;
    const known = merged.find((other) => other.sku === line.sku);
    if (known) known.quantity += line.quantity;
    else merged.push({ sku: line.sku, quantity: line.quantity });
  }
  return merged;
}

function parseBin(bin) {
  const match = /^([A-Z])-(\d+)-(\d)$/.exec(bin);
  if (!match) throw new Error(`Not a bin: ${bin}`);
  return { aisle: match[1].charCodeAt(0) - 65, bay: Number(match[2]), level: Number(match[3]) };
}

function distance(from, to) {
  const a = parseBin(from);
  const b = parseBin(to);
  const lift = Math.abs(a.level - b.level) * 0.5;
  if (a.aisle === b.aisle) return Math.abs(a.bay - b.bay) + lift;
  // Aisles can only be changed at either end, at bay 0 or at bay 21.
  const across = Math.abs(a.aisle - b.aisle) * 4;
  return across + Math.min(a.bay + b.bay, 21 - a.bay + (21 - b.bay)) + lift;
}

export function inputs() {
  let seed = 7310;
  const below = (limit) => {
    seed = (seed * 1664525 + 1013904223) % 4294967296;
    return Math.floor(seed / 65536) % limit;
  };
  return [
    [1, 1, 1],
    [5, 10, 6],
    [20, 70, 30],
    [45, 300, 60],
  ].map(([lines, places, articles]) => {
    const order = Array.from({ length: lines }, () => ({ sku: `P${below(articles)}`, quantity: below(9) }));
    const stock = Array.from({ length: places }, () => {
      const bay = String(1 + below(20)).padStart(2, '0');
      const place = { bin: `${'ABCDEF'[below(6)]}-${bay}-${1 + below(4)}`, sku: `P${below(articles)}` };
      if (below(10)) place.quantity = below(8);
      if (below(12) === 0) place.blocked = true;
      return place;
    });
    return below(2) ? [order, stock] : [order, stock, 'C-10-1'];
  });
}
