// Backtracking with sets.
function solve(n) {
  let solutions = 0;
  const columns = new Set();
  const diagonals = new Set();
  const antidiagonals = new Set();
  const place = (row) => {
    if (row === n) {
      solutions++;
      return;
    }
    for (let col = 0; col < n; col++) {
      if (columns.has(col) || diagonals.has(row - col) || antidiagonals.has(row + col)) continue;
      columns.add(col);
      diagonals.add(row - col);
      antidiagonals.add(row + col);
      place(row + 1);
      columns.delete(col);
      diagonals.delete(row - col);
      antidiagonals.delete(row + col);
    }
  };
  place(0);
  return solutions;
}
return [6, 7, 8, 9].map(solve);
