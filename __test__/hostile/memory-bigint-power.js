// attack: a BigInt power of a billion bits
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// peak: 512 the result itself has 128 MB, and multiplying takes as much again
const exponent = 2n ** 30n - 1n;
return (3n ** (exponent / 2n)) % 10n;
