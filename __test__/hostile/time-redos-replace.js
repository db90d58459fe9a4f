// attack: exponential backtracking inside replaceAll with a callback, split and matchAll
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
const text = `${'ab'.repeat(30)}c`.repeat(10);
return [...text.matchAll(/((a|ab|b)+)+$/g)].length + text.split(/((a|b)*)*d/).length;
