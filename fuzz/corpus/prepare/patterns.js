let [a, , b = 1, ...[c]] = [1, 2, undefined, 4];
var { x: { y = 2 } = {}, [`k${a}`]: z, ...rest } = {};
({ a, b } = { a: b, b: a });
[a, b] = [b, a];
[a, b, c, z]
