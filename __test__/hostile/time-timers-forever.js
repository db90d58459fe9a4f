// attack: intervals that never end, that make further timers, and that throw, while the program waits
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800,"globals":["timers"]}
for (let i = 0; i < 100; i++) setInterval(() => setTimeout(() => clearTimeout(-1), 0), 0);
setInterval(() => {
  throw new Error('again');
}, 1);
await new Promise(() => {});
