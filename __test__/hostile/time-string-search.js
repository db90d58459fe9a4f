// attack: searching strings for what is almost everywhere in them
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800,"maxOperations":1000000}
// stuck: 1 lastIndexOf compares a million characters at each of 18 million places, without a look at termination
const text = 'a'.repeat(2e7);
const part = `${'a'.repeat(1e6)}b${'a'.repeat(1e6)}`;
let found = 0;
for (let i = 0; i < 1000; i++) found += text.lastIndexOf(part + i) + text.indexOf(part + i);
return found;
