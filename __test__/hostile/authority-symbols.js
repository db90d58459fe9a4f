// attack: symbols of the registry and well-known symbols as names that the engine or the host might read
// outcome: value [ true, '{}' ]
// state: READY
const names = ['nodejs.util.inspect.custom', 'nodejs.util.promisify.custom', 'nodejs.rejection', 'Deno.customInspect'];
const traps = { then: 1, constructor: 1 };
for (const name of names) {
  traps[Symbol.for(name)] = () => {
    throw new Error('called');
  };
}
for (const key of Reflect.ownKeys(Symbol)) {
  if (typeof Symbol[key] === 'symbol') traps[Symbol[key]] = undefined;
}
return [Reflect.ownKeys(echo(traps)).every((key) => typeof key === 'string'), Host.show({ [Symbol('x')]: 1 })];
