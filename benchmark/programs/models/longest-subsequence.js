// Longest common subsequence, with the sequence itself.
const make = (n, step) => Array.from({ length: n }, (_, i) => 'ACGT'[(i * step + ((i * i) >> 3)) % 4]).join('');
const a = make(1500, 7);
const b = make(1400, 5);
const m = a.length;
const n = b.length;
const table = Array.from({ length: m + 1 }, () => Array(n + 1).fill(0));
for (let i = 1; i <= m; i++) {
  for (let j = 1; j <= n; j++) {
    if (a[i - 1] === b[j - 1]) {
      table[i][j] = table[i - 1][j - 1] + 1;
    } else {
      table[i][j] = Math.max(table[i - 1][j], table[i][j - 1]);
    }
  }
}
let i = m;
let j = n;
const sequence = [];
while (i > 0 && j > 0) {
  if (a[i - 1] === b[j - 1]) {
    sequence.unshift(a[i - 1]);
    i--;
    j--;
  } else if (table[i - 1][j] >= table[i][j - 1]) {
    i--;
  } else {
    j--;
  }
}
return [table[m][n], sequence.slice(0, 20).join('')];
