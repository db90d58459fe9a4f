// attack: a quarter of a million log entries, for a host that listens
// outcome: value 'all of them'
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000}
// processPeak: 96 each entry is an object of the host
import { unlessStalled } from './stalls.mjs';

let heard = 0;
export const onLog = () => void heard++;
export const scenario = (/** @type {any} */ host) =>
  unlessStalled(host, async () => {
    heard = 0;
    const { logEntries } = await host.executor.run('for (let i = 0; i < 300_000; i++) console.log(); return 1;');
    return `value '${heard > 262_000 && heard === logEntries.length ? 'all of them' : heard}'`;
  });
