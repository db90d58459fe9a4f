// attack: formatting and comparing with Intl, again and again
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800,"maxOperations":100000000}
const text = 'a\u0301'.repeat(1e6);
const collator = new Intl.Collator('de');
for (;;) collator.compare(text, `${text}x`);
