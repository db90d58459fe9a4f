// attack: a BigInt that is shifted on and on
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
// peak: 192 the limit, and what one shift makes of a number of 45 MB
let number = 1n;
for (;;) number <<= 10_000_000n;
