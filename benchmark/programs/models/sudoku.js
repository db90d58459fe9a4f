// Backtracking on a board.
const puzzle = '530070000600195000098000060800060003400803001700020006060000280000419005000080079';
const hard = '000000907000420180000705026100904000050000040000507009920108000034059000507000000';
function solve(text) {
  const board = text.split('').map(Number);
  let tries = 0;
  const isValid = (index, digit) => {
    const row = Math.floor(index / 9);
    const col = index % 9;
    for (let i = 0; i < 9; i++) {
      if (board[row * 9 + i] === digit) return false;
      if (board[i * 9 + col] === digit) return false;
      const r = 3 * Math.floor(row / 3) + Math.floor(i / 3);
      const c = 3 * Math.floor(col / 3) + (i % 3);
      if (board[r * 9 + c] === digit) return false;
    }
    return true;
  };
  const search = () => {
    const index = board.indexOf(0);
    if (index === -1) return true;
    for (let digit = 1; digit <= 9; digit++) {
      tries++;
      if (!isValid(index, digit)) continue;
      board[index] = digit;
      if (search()) return true;
      board[index] = 0;
    }
    return false;
  };
  search();
  return { solution: board.join(''), tries };
}
const results = [];
for (let i = 0; i < 12; i++) results.push(solve(i % 2 ? puzzle : hard));
return results.reduce((sum, { tries }) => sum + tries, 0) + results[0].solution;
