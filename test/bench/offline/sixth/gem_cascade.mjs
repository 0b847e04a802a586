/** Plays the moves of a game in which three equal gems in a row vanish. */

const LONGEST_CHAIN = 25;

/** The board after all moves, with the score; a move that makes no match is taken back. */
export function gemCascade(rows, moves, supply = 'RGBY') {
  if (rows.some((row) => row.length !== rows[0].length)) throw new Error('the rows differ in length');
  if (supply === '') throw new Error('no gems to fill up with');
  let board = rows.map((row) => row.split(''));
  let used = 0;
  let score = 0;
  const log = [];
  for (const move of moves) {
    const swapped = swap(board, move);
    if (swapped === null) {
      log.push({ result: 'invalid', points: 0 });
      continue;
    }
    let matches = findMatches(swapped);
    if (matches.length === 0) {
      log.push({ result: 'no match', points: 0 });
      continue;
    }
    board = swapped;
    let chain = 0;
    let points = 0;
    while (matches.length > 0 && chain < LONGEST_CHAIN) {
      chain += 1;
      points += matches.length * 10 * chain + (matches.length > 4 ? 50 : 0);
      const filled = drop(board, matches, supply, used);
      board = filled.board;
      used = filled.used;
      matches = findMatches(board);
    }
    score += points;
    log.push({ result: chain > 1 ? `chain of ${chain}` : 'match', points });
  }
  return { rows: board.map((row) => row.join('')), score, used, log };
}

/** A copy with two neighbouring gems swapped, or null where that is not possible. */
function swap(board, { x, y, to }) {
  const dx = { left: -1, right: 1 }[to] ?? 0;
  const dy = { up: -1, down: 1 }[to] ?? 0;
  const first = board[y]?.[x];
  const second = board[y + dy]?.[x + dx];
  if ((dx === 0 && dy === 0) || first === undefined || second === undefined) return null;
  if (first === '#' || second === '#') return null;
  const copy = board.map((row) => [...row]);
  copy[y][x] = second;
  copy[y + dy][x + dx] = first;
  return copy;
}

/** All places that belong to a run of three or more, each once; walls never match. */
function findMatches(board) {
  const found = new Set();
  for (let y = 0; y < board.length; y++) {
    for (let x = 0; x < board[y].length; x++) {
      for (const [dx, dy] of [
        [1, 0],
        [0, 1],
      ]) {
        const run = [`${x},${y}`];
        while (board[y][x] !== '#' && board[y + dy * run.length]?.[x + dx * run.length] === board[y][x]) {
          run.push(`${x + dx * run.length},${y + dy * run.length}`);
        }
        if (run.length >= 3) for (const place of run) found.add(place);
      }
    }
  }
  return [...found].map((place) => place.split(',').map(Number));
}

/** Takes the matched gems off, lets the others fall and fills each column from the top; walls stay in place. */
function drop(board, matches, supply, used) {
  const copy = board.map((row) => [...row]);
  for (const [x, y] of matches) copy[y][x] = null;
  for (let x = 0; x < copy[0].length; x++) {
    const gems = copy.map((row) => row[x]).filter((gem) => gem !== null && gem !== '#');
    for (let y = copy.length - 1; y >= 0; y--) {
      if (copy[y][x] === '#') continue;
      copy[y][x] = gems.length > 0 ? gems.pop() : supply[used++ % supply.length];
    }
  }
  return { board: copy, used };
}

export function inputs() {
  let state = 77;
  const roll = (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
  const gem = () => (roll(60) === 0 ? '#' : 'RGBYPO'[roll(6)]);
  const call = (width, height, moveCount) => {
    const rows = Array.from({ length: height }, () => Array.from({ length: width }, gem).join(''));
    const moves = Array.from({ length: moveCount }, () => {
      return { x: roll(width), y: roll(height), to: ['left', 'right', 'up', 'down'][roll(4)] };
    });
    return [rows, moves, Array.from({ length: 97 }, () => 'RGBYPO'[roll(6)]).join('')];
  };
  return [call(4, 4, 4), call(8, 8, 20), call(9, 9, 150), call(12, 12, 700)];
}
