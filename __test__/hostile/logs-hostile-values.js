// attack: proxies, getters, cyclic and self-changing values, hostile names and prototypes in logs
// outcome: value 'done'
// state: READY
// options: {"timeoutMs":3000}
const trap = () => {
  throw new Error('trap');
};
const traps = Object.fromEntries(Reflect.ownKeys(Reflect).map((name) => [name, trap]));
const odd = Object.create(new Proxy({}, traps));
Object.defineProperty(odd, Symbol.toStringTag, { get: trap });
const named = Object.defineProperty(function () {}, 'name', { get: trap });
const cyclic = new Map();
cyclic.set(cyclic, new Set([cyclic]));
const growing = {
  get more() {
    growing[`k${Object.keys(growing).length}`] = 1;
    return growing;
  },
};
const error = Object.defineProperty(new Error('x'), 'stack', { get: trap });
console.log(new Proxy({}, traps), odd, named, cyclic, growing, error, Object.create(null), [, 1], -0, 1n);
console.dir(odd, { depth: Infinity, showHidden: true, getters: true });
console.table(new Proxy([1], traps));
console.table([odd, cyclic]);
return 'done';
