// Optional chains, sequences and assignments in expressions.
ns?.x('a');
ns.missing?.deep?.z(t0('not evaluated'));
let held;
(held ??= t1)('b');
(held &&= t2)('c');
const [first = t3] = [];
first('d');
({ y: held } = ns);
held('e');
