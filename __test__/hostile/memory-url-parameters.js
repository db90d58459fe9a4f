// attack: parameters that are appended on and on, and written as text again and again
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":40000,"maxOperations":1000000000000}
const parameters = new URLSearchParams();
for (let i = 0; ; i++) {
  parameters.append('name' + i, 'x'.repeat(1000) + i);
  if (i % 10_000 === 0) {
    try {
      parameters.toString();
    } catch {
      // No room for the text; go on.
    }
  }
}
