// attack: the decimal digits of a BigInt of 300 million bits
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":800,"memoryLimitMb":128}
// peak: 256 the digits and what dividing takes
return String(1n << 300_000_000n).length;
