// attack: the source of the engine's functions, to read what they close over and call it
// outcome: value [ 'ReferenceError', 'EvalError' ]
// state: READY
const text = Function.prototype.toString.call(final_answer);
const names = [];
try {
  op_final('stolen');
} catch (error) {
  names.push(error.name);
}
try {
  (0, eval)(`(${text})`);
} catch (error) {
  names.push(error.name);
}
return names;
