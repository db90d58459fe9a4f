// attack: a string that doubles and is flattened each time
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"maxOperations":1000000000000,"timeoutMs":25000}
let text = 'x';
for (;;) {
  text += text;
  text.charCodeAt(0);
  text.indexOf('yz');
}
