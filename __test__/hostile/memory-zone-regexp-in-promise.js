// attack: a pattern that takes too much, in a microtask beside a tool that is awaited
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
const waiting = later(1);
await Promise.resolve().then(() => new RegExp('.'.repeat(3e6), 'is').test('c'));
return waiting;
