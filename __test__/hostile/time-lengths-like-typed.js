// attack: set of a typed array from an array-like, each of whose elements is looked for in a long chain
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
let chain = { length: 8_000_000 };
for (let i = 0; i < 50_000; i++) chain = Object.create(chain);
new Uint8Array(8_000_000).set(chain);
return 'never';
