// attack: JSON.stringify with toJSON and a replacer that make ever more
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":6000}
const more = { toJSON: () => ({ a: more, b: 1 }) };
try {
  JSON.stringify(more);
} catch (error) {
  if (error.name !== 'RangeError') throw error;
}
return JSON.stringify({ a: 1 }, (key, value) => (key.length > 3 ? 1 : Array(1e6).fill(value))).length;
