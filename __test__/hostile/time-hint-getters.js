// attack: a getter and a proxy that never come back when a hint looks at them, though they did when the code did
// outcome: ERR_RUNTIME_EXCEPTION
// state: READY
let reads = 0;
Object.defineProperty(globalThis, 'trap', {
  get() {
    if (reads++ > 0) for (;;);
    return {};
  },
});
trap.missing();
