// attack: large outputs of six executors that arrive at the same time
// outcome: value [600000,600000,600000,600000,600000,600000]
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000}
// peak: 1152 six isolates and their outputs
// processPeak: 320 the outputs reach the host, several at a time
import { unlessStalled } from './stalls.mjs';

export const scenario = async (/** @type {any} */ host) => {
  const executors = Array.from({ length: 6 }, () => new host.SESExecutor({ ...host.options, autoInit: true }));
  const outcome = await unlessStalled(host, async () => {
    const runs = executors.map((executor) => executor.run('return Array(600_000).fill("ab");'));
    return `value ${JSON.stringify((await Promise.all(runs)).map(({ output }) => output.length))}`;
  });
  await Promise.all(executors.map((executor) => executor.cleanup()));
  return outcome;
};
