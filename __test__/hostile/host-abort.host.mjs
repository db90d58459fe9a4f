// attack: signals aborted before, during and after runs, with hostile reasons
// outcome: value [ 'ERR_EXEC_TIMEOUT', 'ERR_EXEC_TIMEOUT', 'value 1' ]
// state: READY
import { inspect } from 'node:util';

export const tools = {};
const started = new Promise((resolve) => (tools.started = () => resolve()));
export const scenario = async ({ executor, prepared, run }) => {
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error('trap');
      },
    },
  );
  const before = await run('1', { signal: AbortSignal.abort(hostile) });
  const controller = new AbortController();
  const running = run('started(); for (;;);', { signal: controller.signal, maxOperations: 1e12 });
  await started;
  controller.abort(hostile);
  const during = await running;
  await executor.cleanup();
  await prepared(executor);
  const late = new AbortController();
  const after = await run('1', { signal: late.signal });
  late.abort(Symbol('late'));
  return `value ${inspect([before, during, after])}`;
};
