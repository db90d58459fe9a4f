// attack: a pattern that takes too much, in a handler of everything
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
for (;;) {
  try {
    new RegExp('(?!a)'.repeat(1e6)).test('c');
  } catch {}
}
