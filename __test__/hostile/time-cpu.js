// attack: computing for longer than maxCpuMs, while the deadline is far
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":5000,"maxCpuMs":300}
const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));
return fib(60);
