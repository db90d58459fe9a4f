// attack: four isolates at once, each at its limit
// outcome: value [ 'ERR_MEMORY_LIMIT_EXCEEDED', 'ERR_MEMORY_LIMIT_EXCEEDED', 'ERR_MEMORY_LIMIT_EXCEEDED', 'ERR_MEMORY_LIMIT_EXCEEDED' ]
// state: READY
// options: {"timeoutMs":15000,"maxOperations":1000000000000}
// peak: 512 four times the limit and 64 MB
import { inspect } from 'node:util';

export const scenario = async ({ SESExecutor, options, outcomeOf }) => {
  const executors = Array.from({ length: 4 }, () => new SESExecutor({ ...options, autoInit: true }));
  const bomb = 'const hoard = []; for (;;) hoard.push({ at: hoard.length });';
  const outcomes = await Promise.all(executors.map((executor) => outcomeOf(executor.run(bomb))));
  await Promise.all(executors.map((executor) => executor.cleanup()));
  return `value ${inspect(outcomes, { breakLength: Infinity, compact: true })}`;
};
