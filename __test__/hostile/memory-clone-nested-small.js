// attack: the same with values of a megabyte, a thousand levels deep
// outcome: value 'RangeError'
// state: READY
// options: {"timeoutMs":20000}
// peak: 256 the heap, and what is under way of the values
const big = 'x'.repeat(1e6);
const nest = (levels) => ({ big, get next() { return levels > 0 && structuredClone(nest(levels - 1)) !== 0; } });
try {
  structuredClone(nest(1_000));
  return 'all of it';
} catch (error) {
  return error.name;
}
