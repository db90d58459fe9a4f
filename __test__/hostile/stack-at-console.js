// attack: console methods called with what is left of the stack at every depth
// outcome: value 'ok'
// state: READY
// options: {"timeoutMs":5000}
let calls = 0;
const value = { a: [{ b: new Map([[1, { c: new Error('x') }]]) }] };
const sink = () => {
  try {
    sink();
  } finally {
    if (calls++ < 300) {
      try {
        console.log(value);
        console.table([value]);
        console.log('%o %s %d', value, value, 1n);
        console.group();
        console.assert(false, value);
      } catch {
        // no room
      }
    }
  }
};
try {
  sink();
} catch {
  // the RangeError
}
return 'ok';
