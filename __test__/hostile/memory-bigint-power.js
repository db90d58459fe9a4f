// attack: a BigInt power of a billion bits
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// peak: 256 one BigInt of 128 MB
const exponent = 2n ** 30n - 1n;
return 3n ** (exponent / 2n) % 10n;
