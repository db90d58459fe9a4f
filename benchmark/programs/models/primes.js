// Trial division, and a sieve with a plain array.
function isPrime(n) {
  if (n < 2) return false;
  if (n % 2 === 0) return n === 2;
  for (let d = 3; d * d <= n; d += 2) {
    if (n % d === 0) return false;
  }
  return true;
}
let count = 0;
for (let i = 0; i < 150000; i++) if (isPrime(i)) count++;
const limit = 800000;
const sieve = new Array(limit + 1).fill(true);
sieve[0] = sieve[1] = false;
for (let i = 2; i * i <= limit; i++) {
  if (sieve[i]) {
    for (let j = i * i; j <= limit; j += i) sieve[j] = false;
  }
}
const primes = [];
for (let i = 0; i <= limit; i++) if (sieve[i]) primes.push(i);
return [count, primes.length, primes[primes.length - 1]];
