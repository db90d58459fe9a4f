// Generations on a torus.
const rows = 128;
const cols = 128;
let board = Array.from({ length: rows }, (_, r) =>
  Array.from({ length: cols }, (_, c) => ((r * 31 + c * 17 + r * c) % 3 === 0 ? 1 : 0)),
);
function neighbours(board, r, c) {
  let count = 0;
  for (let dr = -1; dr <= 1; dr++) {
    for (let dc = -1; dc <= 1; dc++) {
      if (dr === 0 && dc === 0) continue;
      const row = (r + dr + rows) % rows;
      const col = (c + dc + cols) % cols;
      count += board[row][col];
    }
  }
  return count;
}
for (let generation = 0; generation < 40; generation++) {
  const next = board.map((row) => [...row]);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < cols; c++) {
      const n = neighbours(board, r, c);
      if (board[r][c] === 1 && (n < 2 || n > 3)) next[r][c] = 0;
      else if (board[r][c] === 0 && n === 3) next[r][c] = 1;
    }
  }
  board = next;
}
return board.flat().reduce((sum, cell) => sum + cell, 0);
