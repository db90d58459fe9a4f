// A hash and random numbers, as models write them: `%` of numbers that are not small integers.
let seed = 42;
const random = () => {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return seed / 2147483648;
};
let hash = 7;
let inside = 0;
for (let i = 0; i < 2e6; i++) {
  const x = random();
  const y = random();
  if (x * x + y * y < 1) inside++;
  hash = (hash * 131 + i) % 1000000007;
}
return `${inside} ${hash} ${seed}`;
