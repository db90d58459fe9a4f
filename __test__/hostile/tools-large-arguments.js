// attack: many un-awaited calls with 60 MB each, which the host would have to keep
// outcome: ERR_TRANSFER_LIMIT_EXCEEDED
// state: READY
// options: {"timeoutMs":6000}
// peak: 320 what the calls under way may hold
const text = 'x'.repeat(6e7);
const calls = [];
for (let i = 0; i < 500; i++) calls.push(later(text).catch(() => 'refused'));
await Promise.all(calls);
return new Array(1e5).fill(text);
