// Product of two matrices as arrays of arrays.
function createMatrix(rows, cols, fn) {
  return Array.from({ length: rows }, (_, i) => Array.from({ length: cols }, (_, j) => fn(i, j)));
}
function multiply(a, b) {
  const result = [];
  for (let i = 0; i < a.length; i++) {
    result[i] = [];
    for (let j = 0; j < b[0].length; j++) {
      let sum = 0;
      for (let k = 0; k < b.length; k++) {
        sum += a[i][k] * b[k][j];
      }
      result[i][j] = sum;
    }
  }
  return result;
}
const a = createMatrix(180, 160, (i, j) => (i * j) % 7);
const b = createMatrix(160, 170, (i, j) => (i + j) % 5);
let c = multiply(a, b);
c = multiply(
  c,
  createMatrix(170, 100, (i, j) => (i ^ j) & 3),
);
return c.reduce((sum, row) => sum + row.reduce((s, x) => s + x, 0), 0);
