// Generators and async iterators.
function* numbers() {
  yield t0('first');
  const got = yield 1;
  got?.(2);
}
const it = numbers();
it.next();
it.next();
it.next(t1);
async function* later() {
  yield* [t2('later')];
}
for await (const value of later()) value;
