// attack: normalising long texts and changing their case, in a loop that V8 has not compiled
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800,"maxOperations":100000000}
const text = '\u00df\u0301'.repeat(5e5);
for (;;) {
  text.normalize('NFD');
  text.toUpperCase();
  text.toLowerCase();
}
