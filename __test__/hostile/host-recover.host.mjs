// attack: an executor that recovers by itself, lost in every second run, with calls and microtasks left over from each
// outcome: value 'each run is a fresh one'
// state: READY
export const scenario = async (/** @type {any} */ { SESExecutor, options, api }) => {
  const executor = new SESExecutor({ ...options, timeoutMs: 150, autoInit: true, recover: true });
  let late = 0;
  await executor.sendTools({ next: (/** @type {number} */ n) => n + 1, tooLate: () => void late++, never: async () => new Promise(() => {}) });
  const odd = [];
  for (let i = 0; i < 5; i++) {
    const lost = await executor
      .run("globalThis.left = 1; never().then(tooLate, tooLate); const f = () => { Promise.resolve().then(f); }; f(); await new Promise(() => {})")
      .catch((/** @type {any} */ error) => error);
    const { output } = await executor.run(`return [next(${i}), typeof left]`, { timeoutMs: 5_000 });
    if (lost.code !== 'ERR_EXEC_TIMEOUT' || output[0] !== i + 1 || output[1] !== 'undefined') odd.push([lost.code, output]);
  }
  await executor.cleanup();
  const { parked } = api.engineStats();
  const isFine = odd.length === 0 && late === 0 && parked === 0;
  return `value '${isFine ? 'each run is a fresh one' : JSON.stringify([odd, late, parked])}'`;
};
