import v8 = require('node:v8');

/**
 * Whether `node:v8` reads and writes V8's serialization format. Bun has another engine, and its `node:v8` has only the
 * names.
 */
export const hasV8Format = (() => {
  try {
    new v8.Serializer();
    return true;
  } catch {
    return false;
  }
})();
