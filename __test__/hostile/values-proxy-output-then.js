// attack: a proxy as output, whose trap for then loops forever
// outcome: ERR_MAX_OPS_EXCEEDED
// state: READY
return new Proxy(
  {},
  {
    get() {
      for (;;);
    },
  },
);
