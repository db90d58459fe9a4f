// Solves linear equations with partial pivoting.
function solve(matrix, vector) {
  const n = matrix.length;
  const a = matrix.map((row, i) => [...row, vector[i]]);
  for (let col = 0; col < n; col++) {
    let pivot = col;
    for (let row = col + 1; row < n; row++) {
      if (Math.abs(a[row][col]) > Math.abs(a[pivot][col])) pivot = row;
    }
    [a[col], a[pivot]] = [a[pivot], a[col]];
    for (let row = col + 1; row < n; row++) {
      const factor = a[row][col] / a[col][col];
      for (let k = col; k <= n; k++) a[row][k] -= factor * a[col][k];
    }
  }
  const x = new Array(n);
  for (let row = n - 1; row >= 0; row--) {
    let sum = a[row][n];
    for (let k = row + 1; k < n; k++) sum -= a[row][k] * x[k];
    x[row] = sum / a[row][row];
  }
  return x;
}
const n = 250;
const matrix = Array.from({ length: n }, (_, i) =>
  Array.from({ length: n }, (_, j) => (i === j ? n + 3 : ((i * 7 + j * 13) % 11) / 11)),
);
const x = solve(
  matrix,
  Array.from({ length: n }, (_, i) => i + 1),
);
return x.slice(0, 3).map((value) => value.toFixed(8));
