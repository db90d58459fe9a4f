// attack: getters that have further values cloned while one is being written, each with 20 MB written already
// outcome: value 'RangeError'
// state: READY
// options: {"timeoutMs":20000}
// peak: 256 the heap, and what is under way of the values
const big = 'x'.repeat(20e6);
const nest = (levels) => ({ big, get next() { return levels > 0 && structuredClone(nest(levels - 1)) !== 0; } });
try {
  structuredClone(nest(40));
  return 'all of it';
} catch (error) {
  return error.name;
}
