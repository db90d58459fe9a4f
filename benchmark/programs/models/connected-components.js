// Flood fill by recursion and by union-find.
const size = 260;
const grid = Array.from({ length: size }, (_, y) =>
  Array.from({ length: size }, (_, x) => ((x * x + y * 3 + x * y) % 7 < 3 ? 1 : 0)),
);
const seen = grid.map((row) => row.map(() => false));
function fill(x, y) {
  if (x < 0 || y < 0 || x >= size || y >= size || seen[y][x] || grid[y][x] === 0) return 0;
  seen[y][x] = true;
  return 1 + fill(x + 1, y) + fill(x - 1, y) + fill(x, y + 1) + fill(x, y - 1);
}
let islands = 0;
let largest = 0;
for (let y = 0; y < size; y++) {
  for (let x = 0; x < size; x++) {
    const area = fill(x, y);
    if (area > 0) islands++;
    largest = Math.max(largest, area);
  }
}
const parent = Array.from({ length: size * size }, (_, i) => i);
const find = (i) => {
  while (parent[i] !== i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
};
for (let y = 0; y < size; y++) {
  for (let x = 0; x < size; x++) {
    if (!grid[y][x]) continue;
    if (x + 1 < size && grid[y][x + 1]) parent[find(y * size + x)] = find(y * size + x + 1);
    if (y + 1 < size && grid[y + 1][x]) parent[find(y * size + x)] = find((y + 1) * size + x);
  }
}
const roots = new Set();
for (let i = 0; i < size * size; i++) if (grid[Math.floor(i / size)][i % size]) roots.add(find(i));
return [islands, largest, roots.size];
