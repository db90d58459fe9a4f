// Functions that make functions, and callbacks of array methods.
const makeCounter = (step) => {
  let count = 0;
  return () => (count += step);
};
const counters = Array.from({ length: 1_000 }, (_, i) => makeCounter(i));
let sum = 0;
for (let round = 0; round < 2_000; round++) {
  for (const next of counters) sum = (sum + next()) | 0;
}
const mapped = Array.from({ length: 200_000 }, (_, i) => i)
  .map((x) => x * 3)
  .filter((x) => x % 2 === 0)
  .reduce((a, x) => (a + x) | 0, 0);
return sum ^ mapped;
