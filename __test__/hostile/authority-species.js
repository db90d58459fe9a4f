// attack: Symbol.species and constructor of arrays, buffers, promises and expressions that built-ins work on
// outcome: value [ [ 2, 4 ], 4, 'x', 1, [ 1 ], false ]
// state: READY
const make = (base) =>
  class extends base {
    static get [Symbol.species]() {
      return function () {
        return new Proxy({}, { defineProperty: () => true, set: () => true });
      };
    }
  };
const define = (object, value) => Object.defineProperty(object, 'constructor', { value });
const Odd = make(Array);
const list = define([1, 2], { [Symbol.species]: Odd });
const bytes = define(new Uint8Array(4), make(Uint8Array));
const promise = define(Promise.resolve(1), { [Symbol.species]: make(Promise) });
const pattern = define(/x/, {
  [Symbol.species]: function () {
    return { exec: () => null, flags: 'g', lastIndex: 0 };
  },
});
const isOdd = list.map((x) => x) instanceof Array === false;
return [
  echo([1, 2].map((x) => x * 2)),
  echo(bytes).length,
  'axb'.match(pattern)[0],
  await promise,
  echo(Array.of(1)),
  isOdd,
];
