// attack: code from strings by the constructors of tools and namespaces
// outcome: value [ 'EvalError', 'EvalError', 'EvalError', 'EvalError', 'EvalError', 'undefined' ]
// state: READY
const attempt = (make) => {
  try {
    return typeof make('return process')();
  } catch (error) {
    return error.name;
  }
};
return [
  attempt(echo.constructor),
  attempt(later.constructor),
  attempt(Host.show.constructor),
  attempt(Host.constructor.constructor),
  attempt(Object.getPrototypeOf(echo).constructor),
  typeof echo.prototype,
];
