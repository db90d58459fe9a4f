// attack: an output that is nested 20,000 levels deep, which are cut, with BigInts of 8 MB each beside it
// outcome: value 'depth 1000, 5 numbers'
// state: READY
// processPeak: 192 the output reaches the host, and is copied on its way
// peak: 192 the numbers exist in the guest, serialized, and on the host
// options: {"maxOperations":200000,"timeoutMs":3000}
export const scenario = async ({ executor }) => {
  const { output } = await executor.run(`
    let deep = [];
    for (let i = 0; i < 20_000; i++) deep = [deep];
    return [deep, ...Array.from({ length: 5 }, (_, i) => 1n << BigInt(64_000_000 + i))];`);
  let depth = 0;
  for (let at = output[0]; Array.isArray(at) && at.length > 0; at = at[0]) depth++;
  const numbers = output.filter((value, i) => value === 1n << BigInt(64_000_000 + i - 1));
  return `value 'depth ${depth}, ${numbers.length} numbers'`;
};
