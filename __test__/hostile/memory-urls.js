// attack: URLs of half a megabyte, whose parts are kept
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":40000,"maxOperations":1000000000000}
const kept = [];
for (let i = 0; ; i++) kept.push(new URL('http://a/' + i + 'p'.repeat(5e5) + '?' + i + 'q'.repeat(1e4)));
