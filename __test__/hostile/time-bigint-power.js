// attack: the power of a BigInt that takes minutes
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800}
return 7n ** 40_000_000n % 10n;
