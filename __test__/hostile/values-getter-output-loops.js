// attack: an output whose getter never ends, which is read after the run
// outcome: value '{ a: [Getter], b: 1 }'
// state: READY
// options: {"maxOperations":1000000000}
return {
  get a() {
    for (;;);
  },
  b: 1,
};
