// attack: results of tools, which code may change: shared with other calls, with the host, or with later runs
// outcome: value [[1,2],[1,2],{"list":[1,2]},"undefined"]
// state: READY
const shared = { list: [1, 2] };
export const tools = { read: () => shared, readLater: async () => shared };
export const scenario = async (/** @type {any} */ { executor }) => {
  await executor.run(`
    globalThis.kept = read();
    kept.list.push(3);
    kept.list.__proto__ = { forged: 1 };
    kept.__proto__ = { list: 'forged' };
    Object.defineProperty(kept, 'then', { get() { throw 1; } });
    const other = await readLater();
    other.list.length = 0;
    other.constructor.prototype.forged ??= 1;
  `).catch(() => {});
  const { output } = await executor.run('return [read().list, (await readLater()).list, typeof [].forged]');
  return `value ${JSON.stringify([output[0], output[1], shared, output[2]])}`;
};
