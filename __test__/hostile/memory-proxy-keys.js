// attack: a proxy that says it has 700,000 keys, of each of which V8 keeps copies beside the heap
// outcome: value [ 'RangeError', 'RangeError', 'RangeError', 'RangeError', 'RangeError', 'RangeError' ]
// state: READY
const keys = Array.from({ length: 7e5 }, (_, at) => `k${at}`);
const proxy = new Proxy(
  {},
  { ownKeys: () => keys, getOwnPropertyDescriptor: () => ({ value: {}, configurable: true, enumerable: true }) },
);
const thrown = [
  Object.freeze,
  Object.keys,
  Object.getOwnPropertyDescriptors,
  harden,
  (object) => ({ ...object }),
  JSON.stringify,
].map((list) => {
  try {
    return Reflect.ownKeys(list(proxy)).length;
  } catch (error) {
    return error.name;
  }
});
return thrown;
