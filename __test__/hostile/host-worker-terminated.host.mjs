// attack: a worker thread that is terminated while its executors run, wait and are initialised
// outcome: value 'the main thread lives'
// state: READY
// processPeak: 96 each worker thread of the host has its own heap
// options: {"timeoutMs":8000}
import { Worker } from 'node:worker_threads';

const index = new URL('../../index.mjs', import.meta.url).href;
export const scenario = async ({ run }) => {
  for (let i = 0; i < 3; i++) {
    const worker = new Worker(
      `import('${index}').then(async ({ SESExecutor }) => {
        const options = { autoInit: true, maxOperations: 1e15, timeoutMs: 60_000 };
        const executors = Array.from({ length: 4 }, () => new SESExecutor(options));
        await executors[0].sendTools({ never: async () => new Promise(() => {}) });
        executors[0].run('await never()').catch(() => {});
        executors[1].run('for (;;);').catch(() => {});
        executors[2].run('for (;;) console.log(1)').catch(() => {});
        require('node:worker_threads').parentPort.postMessage('running');
        executors[3].init();
      });`,
      { eval: true },
    );
    await new Promise((resolve) => worker.once('message', resolve));
    await worker.terminate();
  }
  return (await run('1')) === 'value 1' ? "value 'the main thread lives'" : 'value 0';
};
