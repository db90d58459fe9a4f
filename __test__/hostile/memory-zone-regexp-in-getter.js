// attack: a pattern that takes too much, in a getter that the output is written with
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
return {
  get pattern() {
    return new RegExp('.'.repeat(3e6), 'is').test('c');
  },
};
