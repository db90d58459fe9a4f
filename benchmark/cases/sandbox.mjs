// Programs over an API: a search, calls, and many at the same time, each in its own isolate that has the registry. This
// package keeps isolates ready. Its pool is refilled before each sample; refilling is not measured. The other packages make
// an isolate and put the registry into it.

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
  'sandbox-search-25': { count: 25, once: (sandbox, n) => searchOnce(sandbox, n % 25) },
  'sandbox-search-2500': { count: 2_500, once: (sandbox, n) => searchOnce(sandbox, n % 2_500) },
  'sandbox-execute': { count: 25, once: executeOnce },
  'sandbox-concurrent': {
    count: 25,
    once: (sandbox, n) => Promise.all(Array.from({ length: CONCURRENT }, (_, i) => executeOnce(sandbox, n + i))),
  },
};

export default {
  id: 'sandbox',
  title: 'sandbox',
  rounds: 8,
  seconds: 40,
  variants: [
    { id: 'sandbox-search-25', title: 'sandbox: a search over 25 methods' },
    { id: 'sandbox-search-2500', title: 'sandbox: a search over 2,500 methods' },
    { id: 'sandbox-execute', title: `sandbox: a program with ${CALLS} calls` },
    { id: 'sandbox-concurrent', title: `sandbox: ${CONCURRENT} programs with ${CALLS} calls at a time` },
  ],
  metrics: [{ id: 'time', unit: 'ms' }],

  async prepare(peer) {
    if (peer.openSandbox === undefined) return { reason: 'no sandbox' };
    const registries = { 25: registryOf(25), 2500: registryOf(2_500) };
    const state = { peer, registries, sandboxes: {}, last: 0 };
    for (const count of [25, 2_500]) {
      state.sandboxes[count] = await peer.openSandbox({ registry: registries[count], call: async ({ id }) => id * 2 });
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
  const sandbox = state.sandboxes[count];
  await sandbox.ready();
  const started = performance.now();
  await once(sandbox, (state.last += CONCURRENT));
  return performance.now() - started;
}

async function searchOnce(sandbox, n) {
  expectEqual(await sandbox.search(search(n)), [`api.${nameOf(n)}`], 'search');
}

async function executeOnce(sandbox, n) {
  expectEqual(await sandbox.execute(execute(n)), 2 * (CALLS * n + (CALLS * (CALLS - 1)) / 2), 'execute');
}
