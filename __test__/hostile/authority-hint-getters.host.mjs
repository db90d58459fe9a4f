// attack: getters that a hint reads when the run has failed: they call tools, give a final answer, throw, log, change the error
// outcome: value ["ERR_RUNTIME_EXCEPTION","trap.missing is not a function",true]
// state: READY
let calls = 0;
export const tools = { count: () => void calls++ };
export const scenario = async (/** @type {any} */ { executor }) => {
  const error = await executor
    .run(
      `let reads = 0;
      Object.defineProperty(globalThis, 'trap', { get() {
        if (reads++ > 0) { try { count(); } catch {} final_answer('forged'); throw new Error('forged'); }
        return {};
      } });
      trap.missing();`,
    )
    .catch((/** @type {any} */ failure) => failure);
  const { code, details } = error;
  return `value ${JSON.stringify([code, details?.message, calls <= 1])}`;
};
