// Other names for tools.
const alias = t0;
let again = alias;
again('a');
const { x, deep } = ns;
x('b');
deep.z('c');
const space = ns;
space.y('d');
const chosen = Math.random() > 2 ? t1 : t2;
chosen('e');
const api = { send: t3, also: (n) => t3(n) };
api.send('f');
api.also('g');
let late;
late = api.send;
late('h');
(0, t0)('i');
