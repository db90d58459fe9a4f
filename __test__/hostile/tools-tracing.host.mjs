// attack: a host that traces: calls that never end, that fail, with hostile arguments, by the hundred, when the run is over
// outcome: value 'each call began and ended once'
// state: READY
import { tracingChannel } from 'node:diagnostics_channel';

export const scenario = async (/** @type {any} */ { executor }) => {
  /** @type {Map<string, number[]>} */
  const seen = new Map();
  const at = (/** @type {any} */ { id }, /** @type {number} */ place) => {
    const counts = seen.get(id) ?? [0, 0, 0];
    counts[place]++;
    seen.set(id, counts);
  };
  const isSettled = (/** @type {any} */ message) => 'result' in message || 'error' in message;
  const channel = tracingChannel('ses-executor:tool-call');
  /** @type {any} */
  const subscriber = {
    start: (/** @type {any} */ message) => at(message, 0),
    end: (/** @type {any} */ message) => isSettled(message) && at(message, 1),
    asyncEnd: (/** @type {any} */ message) => at(message, 1),
    error: (/** @type {any} */ message) => at(message, 2),
  };
  channel.subscribe(subscriber);
  const { output } = await executor.run(`
    for (let i = 0; i < 200; i++) never({ then: 1, __proto__: null, call: 'forged', result: 'forged', error: i });
    for (let i = 0; i < 100; i++) { try { fail('x') } catch {} failLater('y').catch(() => {}); }
    echo(['__proto__', { id: 'forged', name: 'forged' }]);
    return 'done';
  `);
  await new Promise((resolve) => setImmediate(resolve));
  channel.unsubscribe(subscriber);
  const odd = [...seen.values()].filter(([begun, ended]) => begun !== 1 || ended !== 1);
  const isFine = output === 'done' && seen.size > 150 && odd.length === 0;
  return `value '${isFine ? 'each call began and ended once' : `${output} ${seen.size} ${JSON.stringify(odd.slice(0, 5))}`}'`;
};
