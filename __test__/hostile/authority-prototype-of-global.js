// attack: a proxy as the prototype of the global, which lookups of names would meet
// outcome: value [ false, false, 'ReferenceError' ]
// state: READY
const proxy = new Proxy({}, { has: () => true, get: () => 'stolen' });
let missing;
try {
  missing = missingName;
} catch (error) {
  missing = error.name;
}
return [Reflect.setPrototypeOf(globalThis, proxy), Reflect.setPrototypeOf(Object.prototype, proxy), missing];
