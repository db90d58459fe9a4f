// Programs over an API: a search, calls, and many at the same time, each in its own isolate that has the registry. This
// package keeps isolates ready. Its pool is refilled before each sample; refilling is not measured. The other packages
// make an isolate and put the registry into it.

import { expectEqual, repeat } from './measure.mjs';

const CALLS = 10;
const CONCURRENT = 16;

/** 2 MB of JSON for 2,500 methods. */
export function registryOf(count) {
  const methods = Array.from({ length: count }, (_, i) => ({
    name: nameOf(i),
    description: `Does the work that has the number ${i} among the accounts, orders and invoices of one customer`,
    params: {
      type: 'object',
      properties: Object.fromEntries(
        ['id', 'from', 'until', 'order', 'limit'].map((name) => [
          name,
          { type: 'integer', description: `The ${name} of what is wanted, as a number` },
        ]),
      ),
      additionalProperties: false,
    },
    result: {
      type: 'array',
      items: { type: 'object', description: 'One of the things that were asked for, with all of its fields' },
    },
    examples: [{ id: i, limit: 10 }],
  }));
  return { sources: [{ name: 'api', description: 'All of it', methods }] };
}

/** None is part of another. */
const nameOf = (n) => `method${String(n).padStart(4, '0')}`;
const search = (n) => `spec.find('${nameOf(n)} does').map((it) => it.method)`;
const execute = (n) =>
  `(async () => { const all = await Promise.all(Array.from({ length: ${CALLS} }, (_, i) => sdk.api.${nameOf(1)}({ id: i + ${n} })));
  return all.reduce((sum, value) => sum + value, 0); })()`;

const KINDS = {
  'api-search-25': { count: 25, once: (manager, n) => searchOnce(manager, n % 25) },
  'api-search-2500': { count: 2_500, once: (manager, n) => searchOnce(manager, n % 2_500) },
  'api-execute': { count: 25, once: executeOnce },
  'api-concurrent': {
    count: 25,
    once: (manager, n) => Promise.all(Array.from({ length: CONCURRENT }, (_, i) => executeOnce(manager, n + i))),
  },
};

export default {
  id: 'large-apis',
  title: 'large APIs',
  rounds: 8,
  seconds: 40,
  variants: [
    { id: 'api-search-25', title: 'large APIs: a search over 25 methods' },
    { id: 'api-search-2500', title: 'large APIs: a search over 2,500 methods' },
    { id: 'api-execute', title: `large APIs: a program with ${CALLS} calls` },
    { id: 'api-concurrent', title: `large APIs: ${CONCURRENT} programs with ${CALLS} calls at a time` },
  ],
  metrics: [{ id: 'time', unit: 'ms' }],

  async prepare(peer) {
    if (peer.openApi === undefined) return { reason: 'not supported' };
    const registries = { 25: registryOf(25), 2500: registryOf(2_500) };
    const state = { peer, registries, managers: {}, last: 0 };
    for (const count of [25, 2_500]) {
      state.managers[count] = await peer.openApi({ registry: registries[count], call: async ({ id }) => id * 2 });
    }
    for (const kind of Object.keys(KINDS)) for (let i = 0; i < 3; i++) await sampleOf(state, kind);
    return { state };
  },

  async round(state, { id }, { isQuick }) {
    const times = [];
    await repeat(async () => times.push(await sampleOf(state, id)), {
      samples: isQuick ? 6 : 15,
      budgetMs: isQuick ? 500 : 1_500,
    });
    return { time: times };
  },
};

async function sampleOf(state, id) {
  const { count, once } = KINDS[id];
  const manager = state.managers[count];
  await manager.ready();
  const started = performance.now();
  await once(manager, (state.last += CONCURRENT));
  return performance.now() - started;
}

async function searchOnce(manager, n) {
  expectEqual(await manager.search(search(n)), [`api.${nameOf(n)}`], 'search');
}

async function executeOnce(manager, n) {
  expectEqual(await manager.execute(execute(n)), 2 * (CALLS * n + (CALLS * (CALLS - 1)) / 2), 'execute');
}
