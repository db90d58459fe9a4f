// Counting and grouping in a Map, in an object used as a dictionary, and in objects with fields.
const counts = new Map();
const groups = {};
const points = [];
for (let i = 0; i < 300_000; i++) {
  const key = (i * 7_919) % 5_003;
  counts.set(key, (counts.get(key) ?? 0) + 1);
  const name = `k${key % 97}`;
  groups[name] = (groups[name] ?? 0) + i;
  points.push({ x: i, y: key, isEven: i % 2 === 0 });
}
let sum = 0;
for (const [key, count] of counts) sum += key * count;
for (const name of Object.keys(groups)) sum += groups[name] % 1_000;
for (const { x, y, isEven } of points) sum += isEven ? x - y : y;
return sum;
