// attack: an output with four billion holes, made dense on the host
// outcome: value 'holes stay holes'
// state: READY
export const scenario = async ({ executor }) => {
  const { output } = await executor.run('const a = []; a[4294967294] = 1; return [a, new Array(4294967295)];');
  const [a, b] = output;
  const isSparse = a.length === 4294967295 && Object.keys(a).length === 1 && b.length === 4294967295 && !(0 in b);
  return `value '${isSparse ? 'holes stay holes' : 'dense'}'`;
};
