// Lazy sequences.
function* range(start, end, step = 1) {
  for (let i = start; i < end; i += step) yield i;
}
function* map(iterable, fn) {
  for (const item of iterable) yield fn(item);
}
function* filter(iterable, predicate) {
  for (const item of iterable) if (predicate(item)) yield item;
}
function* take(iterable, n) {
  let taken = 0;
  for (const item of iterable) {
    if (taken++ >= n) return;
    yield item;
  }
}
function* fibonacci() {
  let [a, b] = [0, 1];
  while (true) {
    yield a;
    [a, b] = [b, (a + b) % 1000003];
  }
}
let total = 0;
for (const x of map(
  filter(range(0, 150000), (x) => x % 3 === 0),
  (x) => x * 2,
))
  total += x;
for (const x of take(fibonacci(), 60000)) total += x;
return [total, [...take(fibonacci(), 10)]];
