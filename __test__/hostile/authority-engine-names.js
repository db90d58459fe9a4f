// attack: the engine's own names through the global, through typeof and through stacks
// outcome: value [ [], 'undefined', 'undefined' ]
// state: READY
const name = ['__smol', 'budget'].join('_');
const names = Reflect.ownKeys(globalThis).filter((key) => /smol|deno|boot|realm/i.test(String(key)));
return [names, typeof globalThis[name], typeof globalThis[['__smol', 'realm'].join('_')]];
