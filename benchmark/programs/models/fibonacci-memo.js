// Recursion with a memo in an object, and without one.
const memo = {};
function fib(n) {
  if (n <= 1) return n;
  if (memo[n] !== undefined) return memo[n];
  memo[n] = fib(n - 1) + fib(n - 2);
  return memo[n];
}
function slow(n) {
  return n < 2 ? n : slow(n - 1) + slow(n - 2);
}
const big = (n) => {
  let [a, b] = [0n, 1n];
  for (let i = 0; i < n; i++) [a, b] = [b, a + b];
  return a;
};
return [fib(70), slow(29), String(big(2500)).length];
