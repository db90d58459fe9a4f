// attack: digests of as many bytes as there is memory, without end
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800,"memoryLimitMb":128,"globals":["crypto"]}
const bytes = new Uint8Array(60 << 20);
for (;;) await crypto.subtle.digest('SHA-512', bytes);
