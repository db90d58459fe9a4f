// attack: boxed symbols, generators, weak maps, functions with properties and classes as output
// outcome: value [ '[Symbol: Symbol(boxed)]', 'Object [Generator] {}', 'WeakMap { <items unknown> }', '[Function (anonymous)] { a: 1 }', '[class (anonymous)] { x: 1 }', 'Promise { 1 }', {} ]
// state: READY
return [
  Object(Symbol('boxed')),
  (function* () {})(),
  new WeakMap(),
  Object.assign(() => {}, { a: 1 }),
  class {
    static x = 1;
  },
  Promise.resolve(1),
  new (class Odd {
    #secret = 1;
  })(),
];
