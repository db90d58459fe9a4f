// attack: JSON of many objects with distinct keys
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":10000000,"timeoutMs":25000}
const parts = [];
for (let i = 0; i < 1_000_000; i++) parts.push(`"k${i}":{"v${i}":[]}`);
return Object.keys(JSON.parse(`{${parts.join()}}`)).length;
