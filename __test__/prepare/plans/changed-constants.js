// Values that change after their declaration are not constants.
let count = 1;
const list = ['a'];
const object = { n: 1, inner: { n: 1 } };
const alias = object;
t0(count, list, object);
count += 1;
list.push('b');
alias.n = 2;
t1(count, list, object);

const part = { inner: { n: 1 }, n: 1 };
part.inner.n = 2;
t2(part);

const shown = { n: 1 };
((it) => (it.n = 5))(shown);
t3(shown);

const frozen = Object.freeze({ n: 1 });
ns.x(frozen);

const rows = [{ n: 1 }, { n: 2 }];
rows.forEach((row) => (row.n = 9));
for (const row of rows) ns.y(row);

function early() {
  ns.deep.z(later);
}
early();
var later = 'x';
