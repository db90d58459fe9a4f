// attack: an output whose getters throw, also proxies and themselves
// outcome: value { a: '[Getter]', b: '[Getter]', c: 1 }
// state: READY
const output = {
  get a() {
    throw output;
  },
  get b() {
    throw new Proxy({}, {});
  },
  c: 1,
};
return output;
