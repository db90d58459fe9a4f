// attack: names that Node.js, Deno, browsers and V8's shell have
// outcome: value []
// state: READY
const names = [
  ...['process', 'require', 'module', 'Buffer', 'Deno', 'Bun', '__bootstrap', 'fetch', 'performance'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'navigator', 'crypto'],
  ...['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry', 'ShadowRealm', 'Compartment'],
  ...['gc', 'print', 'load', 'read', 'd8', 'version', 'Worker', 'importScripts', 'postMessage', '__dirname'],
];
return names.filter((name) => name in globalThis);
