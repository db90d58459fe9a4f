// attack: a Set that a built-in fills from an endless iterator, without a loop of the guest
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":25000}
let at = 0;
const endless = { next: () => ({ done: false, value: at++ }), [Symbol.iterator]: () => endless };
return new Set(endless).size;
