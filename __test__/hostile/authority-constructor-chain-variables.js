// attack: the host's realm by variables, and changing them for later runs
// outcome: value [ true, true, true, true, 'EvalError', 'TypeError', 'TypeError' ]
// state: READY
const name = (work) => {
  try {
    return typeof work();
  } catch (error) {
    return error.name;
  }
};
return [
  config.list instanceof Array,
  config.when instanceof Date,
  config.error instanceof RangeError,
  config.map instanceof Map,
  name(() => config.list.constructor.constructor('return process')()),
  name(() => (config.list[1].deep = false)),
  name(() => Object.defineProperty(config.error, 'message', { value: 'mine' })),
];
