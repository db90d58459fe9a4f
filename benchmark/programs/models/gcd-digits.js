// Greatest common divisors, digit sums, perfect numbers.
const gcd = (a, b) => {
  while (b !== 0) {
    [a, b] = [b, a % b];
  }
  return a;
};
let coprime = 0;
for (let a = 1; a <= 500; a++) {
  for (let b = 1; b <= 500; b++) {
    if (gcd(a, b) === 1) coprime++;
  }
}
const digitSum = (n) => {
  let sum = 0;
  while (n > 0) {
    sum += n % 10;
    n = Math.floor(n / 10);
  }
  return sum;
};
let harshad = 0;
for (let i = 1; i <= 300000; i++) if (i % digitSum(i) === 0) harshad++;
const perfect = [];
for (let n = 2; n <= 3000; n++) {
  let sum = 1;
  for (let d = 2; d <= n / 2; d++) if (n % d === 0) sum += d;
  if (sum === n) perfect.push(n);
}
return [coprime, harshad, perfect.join(',')];
