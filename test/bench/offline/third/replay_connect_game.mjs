const DIRECTIONS = [
  [0, 1],
  [1, 0],
  [1, 1],
  [1, -1],
];

function emptyBoard(rows, columns) {
  return Array.from({ length: rows }, () => Array(columns).fill('.'));
}

function dropPiece(board, column, piece) {
  const next = JSON.parse(JSON.stringify(board));
  for (let row = next.length - 1; row >= 0; row--) {
    if (next[row][column] === '.') {
      next[row][column] = piece;
      return next;
    }
  }
  return null;
}

function hasLine(board, piece, length) {
  for (let row = 0; row < board.length; row++) {
    for (let col = 0; col < board[row].length; col++) {
      for (const [dr, dc] of DIRECTIONS) {
        let count = 0;
        while (count < length && board[row + dr * count]?.[col + dc * count] === piece) {
          count++;
        }
        if (count === length) return true;
      }
    }
  }
  return false;
}

/**
 * Replays a game of connect-N and reports how it ended.
 *
 * Moves are column numbers, players X and O take turns. A move into a full or
 * missing column is noted as illegal and the same player moves again. The
 * game stops as soon as somebody has `length` in a row.
 */
export function replayConnectGame(moves, { rows = 6, columns = 7, length = 4 } = {}) {
  let board = emptyBoard(rows, columns);
  let player = 'X';
  let winner = null;
  let played = 0;
  const illegal = [];

  for (let i = 0; i < moves.length && winner === null; i++) {
    const column = moves[i];
    const next = column >= 0 && column < columns ? dropPiece(board, column, player) : null;
    if (next === null) {
      illegal.push({ move: i, column, player });
      continue;
    }
    board = next;
    played++;
    if (hasLine(board, player, length)) {
      winner = player;
    }
    player = player === 'X' ? 'O' : 'X';
  }

  return { winner, played, illegal, full: played === rows * columns, board: board.map((row) => row.join('')) };
}

export function inputs() {
  let state = 7;
  const draw = (count) => {
    state = (state * 48271) % 2147483647;
    return state % count;
  };
  const moves = (count, columns) => Array.from({ length: count }, () => draw(columns + (draw(30) === 0 ? 2 : 0)));
  return [
    [[3, 3, 4, 4, 5, 5, 6]],
    [moves(60, 7)],
    [moves(220, 12), { rows: 14, columns: 12, length: 8 }],
    [moves(330, 16), { rows: 18, columns: 16, length: 9 }],
  ];
}
