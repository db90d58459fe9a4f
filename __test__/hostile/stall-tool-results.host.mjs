// attack: results of tools that third parties wrote: 700,000 empty lists, three million numbers, and a value that is too large
// outcome: value [700000,3000000,"ERR_TRANSFER_LIMIT_EXCEEDED"]
// state: READY
// options: {"timeoutMs":60000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 768 the results on both sides
// processPeak: 640 the results in the host, and on their way
import { stalls } from './stalls.mjs';

const TOOLS = {
  lists: () => JSON.parse(`[${Array(700_000).fill('[]')}]`),
  numbers: () => Array.from({ length: 3_000_000 }, (_, at) => at * 3),
  shared: () => Array(1_000_000).fill({ text: 'x'.repeat(1_000) }).map((part) => ({ ...part })),
};
const CODE = `
  const failed = await results('shared').catch(({ code }) => code);
  [(await results('lists')).length, (await results('numbers')).length, failed]`;

export const scenario = async (/** @type {any} */ host) => {
  const results = Object.fromEntries(Object.entries(TOOLS).map(([name, make]) => [name, make()]));
  await host.executor.sendTools({ results: async (/** @type {string} */ name) => results[name] });
  return stalls(CODE)(host);
};
