// attack: code from strings by the constructors of async, generator and async generator functions
// outcome: value [ 'EvalError', 'EvalError', 'EvalError', 'EvalError', 'EvalError', 'EvalError' ]
// state: READY
const kinds = [
  async () => {},
  function* () {},
  async function* () {},
  Object.getPrototypeOf(async () => {}),
  Object.getPrototypeOf(function* () {}),
  Object.getPrototypeOf(async function* () {}),
];
return kinds.map((kind) => {
  try {
    const made = kind.constructor('return globalThis.constructor.constructor("return process")()')();
    return typeof made;
  } catch (error) {
    return error.name;
  }
});
