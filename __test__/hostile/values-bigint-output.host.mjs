// attack: an output that is a BigInt of 100 million bits
// outcome: value 'the number'
// state: READY
// processPeak: 80 the output reaches the host, and is copied on its way
export const scenario = async ({ executor }) => {
  const { output } = await executor.run('return [1n << 100_000_000n];');
  return `value '${output[0] === 1n << 100_000_000n ? 'the number' : 'another'}'`;
};
