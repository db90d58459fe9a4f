// attack: an output that is nested 100,000 levels deep
// outcome: value { deep: { deep: { deep: { deep: { deep: { deep: { deep: [Object] } } } } } } }
// state: READY
// options: {"maxOperations":200000}
let deep = {};
for (let i = 0; i < 100_000; i++) deep = { deep };
console.log(deep);
globalThis.deepValue = deep;
return deep;
