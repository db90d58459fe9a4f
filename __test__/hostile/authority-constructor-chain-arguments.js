// attack: a caller's frame by arguments.callee, caller and arguments of functions
// outcome: value [ 'TypeError', 'undefined', 'undefined', [ 'EvalError' ], 'undefined' ]
// state: READY
const name = (read) => {
  try {
    return typeof read();
  } catch (error) {
    return error.name;
  }
};
const stolen = [];
const spy = {
  get value() {
    stolen.push(name(() => spy.constructor.constructor('return process')()));
    return 1;
  },
};
echo(spy);
const callback = function () {
  return [callback.caller, callback.arguments];
};
return [
  name(function () {
    return arguments.callee;
  }),
  typeof [1].map(callback)[0][0],
  typeof [1].map(callback)[0][1],
  stolen,
  typeof (function () {
    return this;
  })(),
];
