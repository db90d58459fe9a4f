// attack: tools called with new, as tags, by Reflect with hostile receivers and argument lists
// outcome: value [ 'TypeError', [ 'tag' ], 'ok', 1, 'TypeError', [ 'echo', 1 ] ]
// state: READY
const name = (work) => {
  try {
    return work();
  } catch (error) {
    return error.name;
  }
};
return [
  name(() => new echo(1)),
  name(() => echo`tag`),
  name(() => Reflect.apply(echo, new Proxy({}, {}), ['ok'])),
  name(() => Function.prototype.call.call(echo, globalThis, 1)),
  name(() => Reflect.construct(Object, [], echo)),
  [echo.name, echo.length],
];
