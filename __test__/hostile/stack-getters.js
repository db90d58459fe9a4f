// attack: getters, proxies, toString and toPrimitive that call themselves
// outcome: value [ 'RangeError', 'RangeError', 'RangeError', 'RangeError', 'RangeError', 'RangeError' ]
// state: READY
const name = (work) => {
  try {
    work();
    return 'ended';
  } catch (error) {
    return error.name;
  }
};
const loop = {
  get self() {
    return this.self;
  },
  toString() {
    return `${this}`;
  },
  toJSON() {
    return JSON.stringify(this);
  },
};
const proxy = new Proxy({}, { get: (target, key, receiver) => receiver[key] });
let nested = [];
for (let i = 0; i < 40_000; i++) nested = [nested];
return [
  name(() => loop.self),
  name(() => `${loop}`),
  name(() => JSON.stringify(loop)),
  name(() => proxy.x),
  name(() => String(nested)),
  name(() => nested.flat(Infinity)),
];
