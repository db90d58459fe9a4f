// attack: holes of an array, each of which V8 looks for in a chain of 100,000 prototypes
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500,"maxOperations":1000000}
let chain = Array.prototype;
for (let i = 0; i < 100_000; i++) chain = Object.create(chain);
const holes = Array(1_000_000);
Object.setPrototypeOf(holes, chain);
return holes.indexOf(1) + holes.findLastIndex(Number.isNaN);
