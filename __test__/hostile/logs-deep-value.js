// attack: values of 100,000 levels and a million nodes in logs, with depth Infinity
// outcome: value 'done'
// state: READY
// options: {"maxOperations":2000000,"timeoutMs":6000,"memoryLimitMb":128}
let deep = {};
for (let i = 0; i < 100_000; i++) deep = { deep };
const wide = Array.from({ length: 1_000_000 }, (_, i) => [i]);
console.log(deep, wide);
console.dir(deep, { depth: Infinity });
console.dir(wide, { depth: Infinity, maxArrayLength: Infinity });
console.log('%O %o', deep, deep);
return 'done';
