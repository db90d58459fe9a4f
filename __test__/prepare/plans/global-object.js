// The global object has all tools.
const name = 't' + 1;
globalThis[name]('computed');
