import v8 = require('node:v8');

/**
 * Whether `node:v8` reads and writes V8's serialization format. Bun's engine is another one, and its `node:v8` has the names only.
 */
export const hasV8Format = (() => {
  try {
    new v8.Serializer();
    return true;
  } catch {
    return false;
  }
})();
