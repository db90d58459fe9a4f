// attack: harden, import() and formatting at the very end of the stack
// outcome: value 'ok'
// state: READY
// options: {"timeoutMs":5000}
let calls = 0;
const sink = () => {
  try {
    sink();
  } finally {
    if (calls++ < 500) {
      try {
        harden({ a: { b: [() => {}] } });
        import(`no${calls}`).catch(() => {});
        new Error('x').stack;
        new Intl.NumberFormat().format(1);
        Promise.reject(calls);
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
