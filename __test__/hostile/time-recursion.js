// attack: exponential recursion without a loop
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));
return fib(100);
