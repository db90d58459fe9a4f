// Shortest path through a maze.
const width = 251;
const height = 201;
const grid = [];
for (let y = 0; y < height; y++) {
  const row = [];
  for (let x = 0; x < width; x++) row.push((x * 7 + y * 13 + ((x * y) % 5)) % 4 === 0 && x + y > 2 ? '#' : '.');
  grid.push(row);
}
const directions = [
  [0, 1],
  [1, 0],
  [0, -1],
  [-1, 0],
];
const queue = [[0, 0, 0]];
const visited = new Set(['0,0']);
let farthest = 0;
while (queue.length > 0) {
  const [x, y, distance] = queue.shift();
  farthest = Math.max(farthest, distance);
  for (const [dx, dy] of directions) {
    const nx = x + dx;
    const ny = y + dy;
    if (nx < 0 || ny < 0 || nx >= width || ny >= height) continue;
    if (grid[ny][nx] === '#') continue;
    const key = `${nx},${ny}`;
    if (visited.has(key)) continue;
    visited.add(key);
    queue.push([nx, ny, distance + 1]);
  }
}
return [visited.size, farthest];
