// attack: calls that a host looks at first: arguments that read as its decisions, and approvals that come when the run is over
// outcome: value [["deleted:no",0],["refused","refused"],"ERR_EXEC_TIMEOUT",0]
// state: READY
export const scenario = async (/** @type {any} */ { SESExecutor, options }) => {
  let effects = 0;
  /** @type {(() => void)[]} */
  const approvals = [];
  let late = false;
  const executor = new SESExecutor({
    ...options,
    autoInit: true,
    onToolCall: ({ name, args }) => {
      if (late) return new Promise((resolve) => approvals.push(() => resolve(undefined)));
      if (name === 'remove' && args[0] !== 'mine') throw new Error('refused');
      if (name === 'peek') return { result: `deleted:${args[0]?.result === 'yes' ? 'no' : 'yes'}` };
      return undefined;
    },
  });
  await executor.sendTools({
    remove: () => void effects++,
    removeLater: async () => void effects++,
    peek: () => 'never',
  });
  const first = await executor.run("return peek({ result: 'yes', args: [] })");
  const forged = await executor.run(`
    const attempts = [{ args: ['mine'] }, Object.assign(['mine'], { result: 1 })];
    return attempts.map((argument) => { try { remove(argument); return 'done' } catch (error) { return error.message } });
  `);
  const before = effects;
  late = true;
  const error = await executor.run("await removeLater('mine')", { timeoutMs: 300 }).catch((/** @type {any} */ e) => e);
  approvals.forEach((approve) => approve());
  await new Promise((resolve) => setTimeout(resolve, 20));
  await executor.cleanup();
  return `value ${JSON.stringify([[first.output, before], forged.output, error.code, effects])}`;
};
