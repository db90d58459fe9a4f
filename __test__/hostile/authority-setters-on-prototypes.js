// attack: setters on prototypes that the engine's own objects would trigger
// outcome: value []
// state: READY
const done = [];
const bases = [
  Object.prototype,
  Array.prototype,
  Function.prototype,
  Promise.prototype,
  Error.prototype,
  Map.prototype,
];
for (const base of bases) {
  for (const key of ['0', 'then', 'value', 'get', 'path', 'name', 'cause', 'constructor', 'toJSON', 'message']) {
    try {
      Object.defineProperty(base, key, { get: () => done.push('get'), set: () => done.push('set') });
      done.push(`defined ${key}`);
    } catch {
      // frozen
    }
    try {
      base.__defineSetter__(key, () => done.push('set'));
      done.push(`set ${key}`);
    } catch {
      // frozen
    }
  }
}
await later([{ value: 1 }]);
console.log([{ a: 1 }]);
return done;
