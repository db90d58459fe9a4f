// attack: built-ins on large typed arrays, again and again, by recursion
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
const bytes = new Float64Array(4e6);
const work = () => bytes.fill(Math.random()).sort().reverse();
const twice = (n) => (n === 0 ? work() : twice(n - 1) && twice(n - 1));
twice(20);
