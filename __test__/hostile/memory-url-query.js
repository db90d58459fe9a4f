// attack: a query of four million parameters, which are many times as large in native memory
// outcome: value 'RangeError'
// state: READY
// options: {"timeoutMs":20000}
try {
  return new URLSearchParams('a&'.repeat(4e6)).size;
} catch (error) {
  return error.name;
}
