// attack: the host's realm by promises of tools, and by what their then is given
// outcome: value [ true, true, 'EvalError', true, 'EvalError' ]
// state: READY
const promise = later({ inner: 1 });
const name = (work) => {
  try {
    return typeof work();
  } catch (error) {
    return error.name;
  }
};
const kind = promise.constructor;
const given = await new Promise((resolve) => promise.then((value) => resolve(value)));
const refused = await failLater('x').then(null, (error) => error);
return [
  promise instanceof Promise,
  kind === Promise,
  name(() => kind.constructor('return process')()),
  Object.getPrototypeOf(given) === Object.prototype,
  name(() => refused.constructor.constructor('return process')()),
];
