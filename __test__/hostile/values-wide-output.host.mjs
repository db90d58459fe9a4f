// attack: an output of a million nodes
// outcome: value 'a million nodes'
// state: READY
// processPeak: 256 the output reaches the host, as a million objects
// options: {"maxOperations":2000000,"timeoutMs":20000,"memoryLimitMb":128}
// peak: 320 the nodes exist in the guest, serialized, and on the host
export const scenario = async ({ executor }) => {
  const { output } = await executor.run('return Array.from({ length: 1_000_000 }, (_, i) => ({ i }));');
  const isWhole = output.length === 1e6 && output[0].i === 0 && output[999_999].i === 999_999;
  return `value '${isWhole ? 'a million nodes' : 'something else'}'`;
};
