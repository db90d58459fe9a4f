// attack: getThis and getFunction of call sites by an error whose stack is not text
// outcome: value [ 'string', 'string', 'undefined' ]
// state: READY
Error.stackTraceLimit; // readable or not, not writable
try {
  Error.stackTraceLimit = { valueOf: () => Infinity };
} catch {
  // frozen
}
const plain = new Error('x');
const derived = new (class extends TypeError {
  get name() {
    return { toString: () => 'forged' };
  }
})('x');
return [typeof plain.stack, typeof derived.stack, typeof Object(plain.stack).getThis];
