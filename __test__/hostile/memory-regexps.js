// attack: compiled regular expressions, kept
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
const hoard = [];
for (let i = 0; ; i++) {
  const pattern = new RegExp(`${'(a|b|c)+'.repeat(200)}${i}`);
  pattern.test('abc');
  hoard.push(pattern);
}
