// Estimates pi with a seeded generator.
let seed = 12345;
function random() {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return seed / 2147483648;
}
let inside = 0;
const samples = 1500000;
for (let i = 0; i < samples; i++) {
  const x = random();
  const y = random();
  if (x * x + y * y <= 1) inside++;
}
return ((4 * inside) / samples).toFixed(6);
