// attack: eval in every form, Function by Reflect, by bind, by species and as a class's base
// outcome: value [ 'EvalError', 'EvalError', 'EvalError', 'EvalError', 'EvalError', 'EvalError' ]
// state: READY
const name = (work) => {
  try {
    return String(work());
  } catch (error) {
    return error.name;
  }
};
class Code extends Function {}
return [
  name(() => eval('1 + 1')),
  name(() => (0, eval)('1 + 1')),
  name(() => Reflect.construct(Function, ['return 7'])()),
  name(() => Function.bind(null, 'return 7')()()),
  name(() => Function.apply(null, ['return 7'])()),
  name(() => new Code('return 7')()),
];
