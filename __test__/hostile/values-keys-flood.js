// attack: an argument with 50,000 keys that all have the same hash as array indices or long names
// outcome: value 50000
// state: READY
// options: {"maxOperations":500000,"timeoutMs":3000}
// processPeak: 32 the output reaches the host, and is copied on its way
const wide = {};
for (let i = 0; i < 50_000; i++) wide[`k${i * 65_536}`] = i;
return Object.keys(echo(wide)).length;
