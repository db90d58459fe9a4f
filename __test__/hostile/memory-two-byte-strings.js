// attack: two-byte strings that are flattened
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
const hoard = [];
for (let i = 0; ; i++) hoard.push(('\u{1f600}'.repeat(1e6) + i).split('x')[0].normalize('NFC'));
