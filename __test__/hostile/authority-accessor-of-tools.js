// attack: the accessors behind tools and bindings of earlier runs
// outcome: value [ 'function', 'undefined', false, true ]
// state: READY
const { get, set, configurable } = Object.getOwnPropertyDescriptor(globalThis, 'echo');
return [typeof get.call(null), typeof set, configurable, Object.isFrozen(get)];
