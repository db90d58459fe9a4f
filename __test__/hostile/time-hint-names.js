// attack: 200,000 names on the global, among which the one that was meant is looked for
// outcome: ERR_RUNTIME_EXCEPTION
// state: READY
// options: {"timeoutMs":20000,"maxOperations":1000000,"memoryLimitMb":128}
for (let i = 0; i < 200_000; i++) globalThis['name_' + i] = i;
nmae_1 + 1;
