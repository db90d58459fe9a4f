// attack: call sites by Error.prepareStackTrace, set in every way that the language has
// outcome: value [ 0, 'string' ]
// state: READY
let calls = 0;
const hook = (error, sites) => {
  calls++;
  return sites;
};
const ignore = (work) => {
  try {
    work();
  } catch {
    // What is frozen cannot be set.
  }
};
ignore(() => (Error.prepareStackTrace = hook));
ignore(() => Object.defineProperty(Error, 'prepareStackTrace', { value: hook }));
ignore(() => Reflect.set(Error, 'prepareStackTrace', hook));
class Mine extends Error {
  static prepareStackTrace = hook;
}
globalThis.prepareStackTrace = hook;
const stack = new Mine('x').stack;
const target = {};
if (Error.captureStackTrace) Error.captureStackTrace(target, Mine);
ignore(() => fail('x'));
return [calls, typeof stack];
