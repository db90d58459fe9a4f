// attack: a proxy as output, whose traps loop forever while the host reads it
// outcome: value [ '{}' ]
// state: READY
const forever = () => {
  for (;;);
};
const traps = Object.fromEntries(Reflect.ownKeys(Reflect).map((name) => [name, forever]));
return [new Proxy({}, traps)];
