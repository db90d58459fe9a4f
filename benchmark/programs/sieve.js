// Primes below 3,000,000, by crossing out.
const limit = 3_000_000;
const composite = new Uint8Array(limit);
let primes = 0;
for (let i = 2; i < limit; i++) {
  if (composite[i] === 0) {
    primes++;
    for (let j = i * i; j < limit; j += i) composite[j] = 1;
  }
}
return primes;
