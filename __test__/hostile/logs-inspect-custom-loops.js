// attack: inspect.custom methods that loop, recurse, return themselves and give the final answer
// outcome: ERR_MAX_OPS_EXCEEDED
// state: READY
const custom = Symbol.for('nodejs.util.inspect.custom');
const self = { [custom]: () => self };
console.log(self);
const deeper = { [custom]: () => ({ [custom]: deeper[custom] }) };
console.log(deeper);
console.log({
  [custom]() {
    for (;;);
  },
});
