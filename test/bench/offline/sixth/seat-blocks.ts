/** Seats groups in a theatre, each side by side where that is possible. */

type Row = { name: string; seats: string; price?: number };
type Group = { name: string; size: number; budget?: number; wheelchair?: boolean; split?: boolean };
type Block = { row: number; from: number; length: number; score: number };
type Placed = { group: string; seats: string[]; cost: number };

/** Free seats are dots, taken ones X, wheelchair places W, and a blank is an aisle. */
export function seatBlocks(rows: Row[], groups: Group[], options: { front?: number } = {}) {
  let hall = rows.map((row) => row.seats);
  const placed: Placed[] = [];
  const refused: { group: string; reason: string }[] = [];
  // Large groups first, since they are the hardest to seat.
  const ordered = [...groups].sort((a, b) => b.size - a.size || a.name.localeCompare(b.name));
  for (const group of ordered) {
    if (group.size <= 0) throw new RangeError(`group ${group.name} is empty`);
    const blocks = seatGroup(hall, rows, group, options.front ?? 0);
    if (blocks === null) {
      refused.push({ group: group.name, reason: countFree(hall) < group.size ? 'sold out' : 'no fitting seats' });
      continue;
    }
    const seats = blocks.flatMap((block) => numbers(block).map((number) => `${rows[block.row]?.name}${number}`));
    const cost = blocks.reduce((sum, block) => sum + block.length * (rows[block.row]?.price ?? 0), 0);
    placed.push({ group: group.name, seats, cost: Math.round(cost * 100) / 100 });
    hall = blocks.reduce(occupy, hall);
  }
  return { placed, refused, hall, free: countFree(hall) };
}

const countFree = (hall: string[]): number => [...hall.join('')].filter((seat) => seat === '.' || seat === 'W').length;

const numbers = (block: Block): number[] => Array.from({ length: block.length }, (_, index) => block.from + index + 1);

const occupy = (hall: string[], block: Block): string[] =>
  hall.map((seats, row) =>
    row === block.row ? seats.slice(0, block.from) + 'X'.repeat(block.length) + seats.slice(block.from + block.length) : seats,
  );

/** One block, or two halves when the group agrees to that. */
function seatGroup(hall: string[], rows: Row[], group: Group, front: number): Block[] | null {
  const whole = bestBlock(hall, rows, group, group.size, front);
  if (whole !== null) return [whole];
  if (!group.split || group.size < 2) return null;
  const first = bestBlock(hall, rows, group, Math.ceil(group.size / 2), front);
  if (first === null) return null;
  const second = bestBlock(occupy(hall, first), rows, { ...group, wheelchair: false }, Math.floor(group.size / 2), front);
  return second === null ? null : [first, second];
}

function bestBlock(hall: string[], rows: Row[], group: Group, length: number, front: number): Block | null {
  const found: Block[] = [];
  hall.forEach((seats, row) => {
    if (row < front) return;
    const price = rows[row]?.price ?? 0;
    if (group.budget !== undefined && price * group.size > group.budget) return;
    for (let from = 0; from + length <= seats.length; from++) {
      const part = seats.slice(from, from + length);
      if (![...part].every((seat) => seat === '.' || (group.wheelchair && seat === 'W'))) continue;
      if (group.wheelchair && !part.includes('W')) continue;
      const offset = Math.abs(from + length / 2 - seats.length / 2);
      found.push({ row, from, length, score: offset + row * 1.5 + (leavesSingle(seats, from, length) ? 10 : 0) });
    }
  });
  found.sort((a, b) => a.score - b.score || a.row - b.row || a.from - b.from);
  return found.length > 0 ? (found[0] as Block) : null;
}

/** Whether a lone free seat would remain next to the block. */
function leavesSingle(seats: string, from: number, length: number): boolean {
  const end = from + length;
  return (seats[from - 1] === '.' && seats[from - 2] !== '.') || (seats[end] === '.' && seats[end + 1] !== '.');
}

export function inputs() {
  let state = 58;
  const roll = (limit: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
  const call = (rowCount: number, width: number, groupCount: number) => {
    const rows = Array.from({ length: rowCount }, (_, index): Row => {
      const seat = (at: number): string => {
        if (at === width >> 1) return ' ';
        if (index === 0 && at < 3) return 'W';
        return roll(10) === 0 ? 'X' : '.';
      };
      const seats = Array.from({ length: width }, (_unused, at) => seat(at)).join('');
      return { name: String.fromCharCode(65 + index), seats, price: 40 - index };
    });
    const groups = Array.from({ length: groupCount }, (_, index): Group => {
      const group: Group = { name: `g${index}`, size: 1 + roll(6), split: roll(2) === 0 };
      if (roll(4) === 0) group.budget = group.size * (15 + roll(30));
      if (roll(30) === 0) group.wheelchair = true;
      return group;
    });
    return [rows, groups, { front: 0 }];
  };
  return [call(1, 6, 2), call(4, 12, 10), call(12, 24, 50), call(22, 33, 170)];
}
