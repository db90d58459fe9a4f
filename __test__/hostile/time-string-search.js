// attack: searching strings for what is almost everywhere in them
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800,"maxOperations":1000000}
const text = 'a'.repeat(2e7);
const part = `${'a'.repeat(1e6)}b${'a'.repeat(1e6)}`;
let found = 0;
for (let i = 0; i < 1000; i++) found += text.lastIndexOf(part + i) + text.indexOf(part + i);
return found;
