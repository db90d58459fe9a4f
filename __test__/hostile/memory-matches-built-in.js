// attack: matches without end by a built-in that stands for `exec`
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":20000}
// peak: 192 the list of matches, and the longer one that takes its place
const found = Object.assign(['x'], { index: 0 });
return RegExp.prototype[Symbol.match].call({ flags: 'g', exec: Object.freeze.bind(null, found), lastIndex: 0 }, 'x');
