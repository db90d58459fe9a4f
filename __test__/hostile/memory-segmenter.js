// attack: segments of a large string, which Intl copies outside of V8's heap each time
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
const hoard = [];
const text = 'word '.repeat(1e6);
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
for (;;) hoard.push(segmenter.segment(text)[Symbol.iterator]());
