// The longest chain below a limit, with a cache.
function chainLength(n, cache) {
  let steps = 0;
  let x = n;
  while (x !== 1) {
    if (x < n) {
      steps += cache[x];
      break;
    }
    x = x % 2 === 0 ? x / 2 : 3 * x + 1;
    steps++;
  }
  cache[n] = steps;
  return steps;
}
const cache = [0, 0];
let best = 0;
let bestStart = 1;
for (let n = 2; n < 400000; n++) {
  const steps = chainLength(n, cache);
  if (steps > best) {
    best = steps;
    bestStart = n;
  }
}
return [bestStart, best];
