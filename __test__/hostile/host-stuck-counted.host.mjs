// attack: threads that V8 cannot end, until their owner gets no more
// outcome: value 'counted, held back, refused; others are not'
// state: READY
// options: {"timeoutMs":40000,"owner":"greedy","maxParkedMb":100}
// stuck: 2 comparing 200,000 equal texts of 20 MB takes days
// only: thread a process is killed, so that nothing is left of it
import { threadsOf } from '../children/threads.mjs';

const STUCK = `
  const text = '1'.repeat(2e7);
  const parts = [];
  for (let i = 0; i < 200_000; i++) parts.push(text.slice(i));
  return parts.sort().length;`;

/** Threads with an isolate that have the lowest priority. */
const heldBack = () =>
  threadsOf('self', 'stat').filter(({ text }) => {
    const [, name, rest] = /\((.*)\) (.*)/.exec(text);
    return name.startsWith('ses-') && rest.split(' ')[16] === '19';
  }).length;

export const scenario = async ({ SESExecutor, api, options }) => {
  const codes = [];
  let refused;
  // On a busy machine the guest has not begun to sort after this time. Then it is not stuck, and the next one has more.
  let timeoutMs = 300;
  while (refused === undefined && codes.length < 6) {
    const executor = new SESExecutor({ ...options, timeoutMs, maxOperations: 1e6 });
    const before = api.engineStats();
    refused = await executor.init().catch((error) => error);
    if (refused !== undefined) break;
    codes.push(await executor.run(STUCK).catch(({ code }) => code));
    await executor.cleanup();
    const isStuck = () => api.engineStats().stuck > before.stuck;
    while (!isStuck() && api.engineStats().live > before.live) await new Promise((resolve) => setTimeout(resolve, 20));
    if (!isStuck()) timeoutMs *= 4;
  }
  const other = new SESExecutor({ ...options, owner: 'other', autoInit: true });
  const { output } = await other.run('1 + 1');
  await other.cleanup();
  const { stuck, stuckBytes } = api.engineStats();
  const isFine =
    refused?.code === 'ERR_SES_INIT_FAILED' &&
    refused.details.stuck === 2 &&
    stuck === 2 &&
    stuckBytes === 128 * 2 ** 20 &&
    codes.every((code) => code === 'ERR_EXEC_TIMEOUT') &&
    (process.platform !== 'linux' || heldBack() === 2) &&
    output === 2;
  const seen = () => JSON.stringify([codes, refused?.details, stuck, stuckBytes, output]);
  return `value '${isFine ? 'counted, held back, refused; others are not' : seen()}'`;
};
