// `CodemodeRuntime` and `SESCodemodeExecutor` next to the runtime of the complete `@cloudflare/codemode`, on stand-ins
// for what Cloudflare Workers give it.

import { describe, expect, test } from 'vitest';

import { CodemodeRuntime, SESCodemodeExecutor } from 'ses-executor/codemode';
import { memoryStore } from 'ses-executor/durable';

import { contextOf, importCodemode } from './fixtures/workers.mjs';

const codemode = await importCodemode();

/** The same connector for both runtimes, and the two runtimes. */
function setup() {
  const done = { theirs: [], ours: [] };
  const toolsFor = (whose) => ({
    list_issues: {
      description: 'Lists the issues.',
      inputSchema: { type: 'object', properties: { state: { type: 'string' } } },
      execute: async ({ state }) => (done[whose].push(`list ${state}`), [{ number: 1, state }]),
    },
    create_issue: {
      description: 'Creates an issue.',
      inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      requiresApproval: true,
      execute: async ({ title }) => (done[whose].push(`create ${title}`), { number: 7 }),
      revert: async ({ title }, { number }) => void done[whose].push(`close ${number} ${title}`),
    },
  });
  class GitHub extends codemode.CodemodeConnector {
    name() {
      return 'github';
    }
    instructions() {
      return 'Issues of one repository.';
    }
    tools() {
      return toolsFor('theirs');
    }
  }
  const theirs = codemode.createCodemodeRuntime({
    ctx: contextOf(codemode.CodemodeRuntime),
    executor: withConnectors(new SESCodemodeExecutor()),
    connectors: [new GitHub()],
  });
  const connector = { name: 'github', instructions: 'Issues of one repository.', tools: toolsFor('ours') };
  const ours = new CodemodeRuntime({ connectors: [connector], store: memoryStore() });
  return { theirs, ours, done };
}

/** Calls the bindings of connectors, which code of Workers reaches by RPC, as functions of providers. */
function withConnectors(executor) {
  const functionOf = (binding, method) => async (args) => {
    const result = await binding.callTool(method, args);
    if (result?.__codemode_control__ === 'pause') throw new Error('__CODEMODE_PAUSE__');
    return result;
  };
  const providerOf = ({ name, binding }) => {
    const methods = ['list_issues', 'create_issue'].map((method) => [method, functionOf(binding, method)]);
    return { name, fns: Object.fromEntries(methods) };
  };
  return {
    execute: (code, providers, { connectors = [] } = {}) =>
      executor.execute(code, [...providers, ...connectors.map(providerOf)]),
  };
}

const CREATE = `async () => {
  const issues = await github.list_issues({ state: "open" });
  const made = await github.create_issue({ title: "Bug " + issues.length });
  console.log("made", made.number);
  return [issues, made];
}`;

/** An outcome as JSON, with the ids and the first number of a call that are the same for both. Only we have plans. */
function comparable(outcome, { executionId, first }) {
  const json = JSON.stringify(outcome, (key, value) => {
    if (key === 'seq') return value - first;
    if (key === 'plan') return undefined;
    return value === executionId ? 'id' : value;
  });
  return JSON.parse(json);
}

test('the runtime of the package runs programs in our executor', async () => {
  const { theirs, done } = setup();
  const outcome = await theirs.execute({ code: CREATE });
  expect(outcome.status).toBe('paused');
  expect(await theirs.approve({ executionId: outcome.executionId })).toMatchObject({
    status: 'completed',
    result: [[{ number: 1, state: 'open' }], { number: 7 }],
    logs: ['made 7'],
  });
  expect(done.theirs).toStrictEqual(['list open', 'create Bug 1']);
});

/** The results of a search without their ranking, which is our own. */
function ofSearch({ results, ...others }) {
  const found = results.map(({ score: _, ...result }) => result);
  return { results: found.sort((a, b) => a.path.localeCompare(b.path)), ...others };
}

describe('our runtime gives what the runtime of the package gives', () => {
  test.each(['create', 'issues', 'nothing of this kind'])('for a search for %j', async (query) => {
    const { theirs, ours } = setup();
    expect(ofSearch(await ours.search(query))).toStrictEqual(ofSearch(await theirs.search(query)));
  });

  test.each(['github.create_issue', 'github.list_issues', 'github'])('for a description of %s', async (target) => {
    const { theirs, ours } = setup();
    const { types: _, ...expected } = await theirs.describe(target);
    const { types, ...described } = await ours.describe(target);
    expect(described).toStrictEqual(expected);
    expect(types).toContain(target === 'github' ? 'list_issues' : target.slice('github.'.length));
  });

  test('for the same in code', async () => {
    const { theirs, ours } = setup();
    const code = `async () => {
      const { results: [{ path }] } = await codemode.search("create");
      const { types, ...described } = await codemode.describe(path);
      return [await codemode.search("create"), described, typeof types];
    }`;
    const [expected, outcome] = [await theirs.execute({ code }), await ours.execute({ code })];
    expect(outcome.status).toBe('completed');
    const withSearch = ([found, ...others]) => [ofSearch(found), ...others];
    expect(withSearch(outcome.result)).toStrictEqual(withSearch(expected.result));
  });

  test('for an execution that pauses, what is pending, and its approval', async () => {
    const { theirs, ours, done } = setup();
    const steps = await Promise.all(
      [theirs, ours].map(async (runtime) => {
        const paused = await runtime.execute({ code: CREATE });
        const about = { executionId: paused.executionId, first: paused.calls[0].seq };
        const pending = [await runtime.pending(), await runtime.pending(paused.executionId)];
        const approved = await runtime.approve({ executionId: paused.executionId });
        const after = await runtime.pending();
        return [paused, pending, approved, after].map((it) => comparable(it, about));
      }),
    );
    expect(steps[1]).toStrictEqual(steps[0]);
    expect(steps[1][0].status).toBe('paused');
    expect(done.ours).toStrictEqual(done.theirs);
  });

  test('for a rollback', async () => {
    const { theirs, ours, done } = setup();
    for (const runtime of [theirs, ours]) {
      const { executionId } = await runtime.execute({ code: CREATE });
      await runtime.approve({ executionId });
      await runtime.rollback({ executionId });
    }
    expect(done.ours).toStrictEqual(['list open', 'create Bug 1', 'close 7 Bug 1']);
    expect(done.ours).toStrictEqual(done.theirs);
  });

  test('for a rejected call, and for one that is not pending', async () => {
    const { theirs, ours, done } = setup();
    for (const runtime of [theirs, ours]) {
      const { executionId, pending } = await runtime.execute({ code: CREATE });
      const [{ seq }] = pending;
      expect(await runtime.reject({ executionId, seq: seq + 5 })).toBe(false);
      expect(await runtime.reject({ executionId, seq })).toBe(true);
      expect(await runtime.reject({ executionId, seq })).toBe(false);
      expect(await runtime.pending(executionId)).toStrictEqual([]);
    }
    expect(done.ours).toStrictEqual(done.theirs);
  });
});
