// attack: changes of the prototypes of arrays and objects, which are sealed property by property instead of frozen
// outcome: value [ 0, 'TypeError', 'TypeError', 'TypeError', false, 'TypeError', 'TypeError', 'TypeError', false, false, [ 1, 2 ], 'undefined' ]
// state: READY
const nameOf = (attempt) => {
  try {
    return attempt();
  } catch (error) {
    return error.name;
  }
};
const bases = [Array.prototype, Object.prototype];
return [
  Array.prototype.length,
  nameOf(() => Array.prototype.push(1)),
  nameOf(() => (Array.prototype.length = 5)),
  nameOf(() => (Array.prototype[0] = 1)),
  Reflect.set(Object.prototype, 'forged', 1, Array.prototype),
  nameOf(() => Object.defineProperty(Array.prototype, 'map', { value: 1 })),
  nameOf(() => Object.setPrototypeOf(Array.prototype, { forged: 1 })),
  nameOf(() => Object.assign(Object.prototype, { toString: 1 })),
  bases.some((base) => Reflect.deleteProperty(base, 'constructor')),
  bases.some(Object.isExtensible),
  [2, 1].sort(),
  typeof {}.forged,
];
