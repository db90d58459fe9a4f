// attack: import() with hostile options
// outcome: ERR_VALIDATION_FAILED
// state: READY
const options = new Proxy(
  {},
  {
    get() {
      for (;;);
    },
  },
);
const specifier = ['node', 'child_process'].join(':');
await import(specifier, options);
