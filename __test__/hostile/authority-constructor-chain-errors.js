// attack: the host's realm by the errors of tools, of the bridge and of the engine
// outcome: value [ [ true, 'TypeError', false ], [ true, 'TypeError', false ], [ true, 'TypeError', false ], [ true, 'Error', false ], [ true, 'RangeError', false ], [ true, 'TypeError', false ], [ true, 'SyntaxError', false ] ]
// state: READY
const judge = (error) => {
  const kind = error.constructor;
  const isOurs = Object.getPrototypeOf(error) === kind.prototype && error instanceof Error;
  try {
    return [isOurs, kind.name, typeof kind.constructor('return process')()];
  } catch (inner) {
    return [isOurs, kind.name, !(inner instanceof EvalError)];
  }
};
const caught = [];
const collect = (work) => {
  try {
    work();
  } catch (error) {
    caught.push(judge(error));
  }
};
collect(() => fail('host'));
try {
  await failLater('host');
} catch (error) {
  caught.push(judge(error));
}
collect(() => echo(() => {}));
try {
  await import(`${'fs'}`);
} catch (error) {
  caught.push(judge(error));
}
const sink = () => sink() + 1;
collect(sink);
collect(() => null.x);
collect(() => JSON.parse('{'));
return caught;
