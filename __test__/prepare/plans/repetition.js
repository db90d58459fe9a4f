// How often calls are made.
for (let i = 0; i < 3; i++) t0(i);
for (let i = 1; i <= 10; i += 3) t0('step');
for (const name of ['a', 'b']) t1({ name });
const names = ['c', 'd', 'e'];
for (const name of names) for (const n of [1, 2]) t1({ name, n });
names.map((name) => t2(name));
[1, 2].forEach((n) => {
  if (n > 1) t2(n);
});
for (let i = 0; i < names.length; i++) t3(names[i]);

const grown = ['x'];
for (const name of grown) {
  if (grown.length < 3) grown.push('y');
  ns.x(name);
}

for (let i = 0; i < 2; i++) {
  ns.y(i);
  if (i === 1 && names.length > 5) i--;
}

let left = 2;
while (left-- > 0) ns.deep.z(left);
