// attack: an inspect.custom method that uses what the formatter passes it
// outcome: value [ 'EvalError', 'EvalError', true ]
// state: READY
const found = [];
const spy = {
  [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
    for (const value of [options.stylize, inspect]) {
      try {
        found.push(typeof value.constructor.constructor('return process')());
      } catch (error) {
        found.push(error.name);
      }
    }
    found.push(inspect === undefined || Object.isFrozen(inspect));
    return 'x';
  },
};
console.log(spy);
return found;
