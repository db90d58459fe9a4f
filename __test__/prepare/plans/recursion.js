// Functions that call themselves or each other.
function down(n) {
  if (n === 0) return;
  t0(n);
  down(n - 1);
}
down(3);
const even = (n) => n === 0 || (t1(n), odd(n - 1));
const odd = (n) => n !== 0 && even(n - 1);
even(4);
function unused() {
  t2('never');
}
const factory = () => () => t3('made');
factory()();
