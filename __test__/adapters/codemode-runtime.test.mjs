// `CodemodeRuntime`: the durable code mode of `@cloudflare/codemode` outside Workers.

import { describe, expect, test } from 'vitest';

import { renderPlan } from 'ses-executor/code-tool';
import { CodemodeRuntime } from 'ses-executor/codemode';
import { memoryStore } from 'ses-executor/durable';

/** A runtime, what its connector did, and a function that makes the same runtime again, as another process would. */
function setup() {
  const store = memoryStore();
  const done = [];
  const connector = {
    name: 'github',
    instructions: 'Issues of one repository.',
    tools: {
      'list-issues': {
        description: 'Lists the issues.',
        inputSchema: { type: 'object', properties: { state: { type: 'string', description: 'open or closed' } } },
        execute: async ({ state = 'open' }) => (done.push(`list ${state}`), [{ number: 1, state }]),
      },
      create_issue: {
        description: 'Creates an issue.',
        inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
        requiresApproval: true,
        execute: ({ title }) => (done.push(`create ${title}`), { number: 7 }),
        revert: ({ title }, { number }) => void done.push(`close ${number} ${title}`),
      },
    },
  };
  const make = () => new CodemodeRuntime({ connectors: [connector], store });
  return { runtime: make(), make, done, connectors: [connector] };
}

const CREATE = `async () => {
  const issues = await github.list_issues({});
  const made = await github.create_issue({ title: "Bug " + issues.length });
  console.log("made", made.number);
  return [issues, made];
}`;

describe('execute', () => {
  test('returns the value of the function, its logs and its calls', async () => {
    const { runtime } = setup();
    const outcome = await runtime.execute({
      code: 'async () => { console.log(1); return github.list_issues({ state: "closed" }); }',
    });
    const result = [{ number: 1, state: 'closed' }];
    expect(outcome).toStrictEqual({
      status: 'completed',
      executionId: expect.stringMatching(/^default\.[0-9a-f-]{36}$/),
      result,
      logs: ['1'],
      calls: [
        {
          seq: 1,
          connector: 'github',
          method: 'list_issues',
          args: { state: 'closed' },
          result,
          requiresApproval: false,
          state: 'applied',
        },
      ],
    });
  });

  test('reports a failure as an outcome', async () => {
    const { runtime } = setup();
    const { status, error } = await runtime.execute({ code: 'async () => nothing.here' });
    expect(status).toBe('error');
    expect(error).toMatch(/ERR_RUNTIME_EXCEPTION[^]*nothing is not defined/);
  });
});

describe('a call that requires approval', () => {
  test('pauses the execution, which continues afterwards in another process', async () => {
    const { runtime, make, done } = setup();
    const { executionId, ...paused } = await runtime.execute({ code: CREATE });
    const plan = expect.objectContaining({ complete: true });
    const pending = [
      { executionId, seq: 2, connector: 'github', method: 'create_issue', args: { title: 'Bug 1' }, plan },
    ];
    expect(paused).toMatchObject({ status: 'paused', pending });
    const later = make();
    expect(await later.pending()).toStrictEqual(pending);
    expect(await later.approve({ executionId })).toMatchObject({
      status: 'completed',
      result: [[{ number: 1, state: 'open' }], { number: 7 }],
      logs: ['made 7'],
    });
    expect(done).toStrictEqual(['list open', 'create Bug 1']);
    expect(await later.pending()).toStrictEqual([]);
  });

  test('is approved once, and a late approval changes nothing', async () => {
    const { runtime, done } = setup();
    const { executionId } = await runtime.execute({ code: CREATE });
    const [first, second] = [await runtime.approve({ executionId }), await runtime.approve({ executionId })];
    expect(second).toMatchObject({ status: 'completed', result: first.result });
    expect(await runtime.reject({ executionId })).toBe(false);
    expect(done).toStrictEqual(['list open', 'create Bug 1']);
  });

  test('fails in the program if it is rejected, and so do the calls after it', async () => {
    const { runtime, done } = setup();
    const code = `async () => {
      const codes = [];
      for (const title of ["a", "b"]) await github.create_issue({ title }).catch(({ code }) => codes.push(code));
      return codes;
    }`;
    const { executionId } = await runtime.execute({ code });
    expect(await runtime.reject({ executionId, seq: 5 })).toBe(false);
    expect(await runtime.reject({ executionId, seq: 1 })).toBe(true);
    const [{ status, result, calls }] = await runtime.executions();
    expect({ status, result }).toStrictEqual({ status: 'completed', result: ['ERR_NOT_APPROVED', 'ERR_NOT_APPROVED'] });
    expect(calls.map(({ state }) => state)).toStrictEqual(['failed', 'failed']);
    expect(done).toStrictEqual([]);
  });

  test('of several at the same time are approved one by one', async () => {
    const { runtime, done } = setup();
    const code = 'async () => Promise.all(["a", "b"].map((title) => github.create_issue({ title })))';
    const { executionId, pending } = await runtime.execute({ code });
    expect(pending.map(({ seq, args }) => [seq, args.title])).toStrictEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
    expect(await runtime.approve({ executionId, seq: 2 })).toMatchObject({ status: 'paused', pending: [{ seq: 1 }] });
    expect(await runtime.approve({ executionId })).toMatchObject({ status: 'completed' });
    expect(done).toStrictEqual(['create b', 'create a']);
  });
});

describe('the plan of a program', () => {
  const LOOP = `async () => {
  const numbers = [];
  for (const title of ["a", "b", "c"]) numbers.push((await github.create_issue({ title })).number);
  await Promise.all(["d", "e"].map((title) => github.create_issue({ title })));
  return numbers;
}`;

  test('comes with the calls that wait, and one decision approves all of its calls', async () => {
    const { runtime, make, done } = setup();
    const { executionId, pending } = await runtime.execute({ code: LOOP });
    expect(renderPlan(pending[0].plan)).toBe(`The program can call 1 tool:
- github.create_issue: at most 5 times
    line 3: github.create_issue({ title: "a" | "b" | "c" }) at most 3 times
    line 4: github.create_issue({ title: "d" | "e" }) at most 2 times`);
    const outcome = await make().approve({ executionId, plan: true });
    expect(outcome).toMatchObject({ status: 'completed', result: [7, 7, 7] });
    expect(done).toStrictEqual(['a', 'b', 'c', 'd', 'e'].map((title) => `create ${title}`));
  });

  test('comes with the calls after an approval of one call, too', async () => {
    const { runtime } = setup();
    const { executionId, pending } = await runtime.execute({ code: LOOP });
    const next = await runtime.approve({ executionId });
    expect(next.pending).toStrictEqual([{ ...pending[0], seq: 2, args: { title: 'b' } }]);
    expect(await runtime.approve({ executionId, plan: true })).toMatchObject({ status: 'completed' });
  });

  test('approves calls that wait at the same time, each of them once', async () => {
    const { runtime, done } = setup();
    const code = 'async () => Promise.all(["a", "a", "b"].map((title) => github.create_issue({ title })))';
    const { executionId, pending } = await runtime.execute({ code });
    expect(pending.map(({ seq }) => seq)).toStrictEqual([1, 2, 3]);
    const { status, calls } = await runtime.approve({ executionId, plan: true });
    expect([status, calls.length]).toStrictEqual(['completed', 3]);
    expect(done.sort()).toStrictEqual(['create a', 'create a', 'create b']);
  });

  test('is left out if it is too long, and cannot be approved then', async () => {
    const { runtime, done } = setup();
    const title = 'x'.repeat(900);
    const calls = Array.from({ length: 100 }, (_, n) => `await github.create_issue({ title: "${title} ${n}" });`);
    const { executionId, pending } = await runtime.execute({ code: `async () => {\n${calls.join('\n')}\n}` });
    expect(pending).toStrictEqual([
      { executionId, seq: 1, connector: 'github', method: 'create_issue', args: { title: `${title} 0` } },
    ]);
    await expect(runtime.approve({ executionId, plan: true })).rejects.toThrow(
      new TypeError('options.plan must be false: there is no plan for the call 1'),
    );
    expect(done).toStrictEqual([]);
    expect(await runtime.approve({ executionId })).toMatchObject({ status: 'paused', pending: [{ seq: 2 }] });
  });

  test('is not approved by wrong options', async () => {
    const { runtime } = setup();
    const { executionId } = await runtime.execute({ code: CREATE });
    const wrong = (options, message) =>
      expect(runtime.approve({ executionId, ...options })).rejects.toThrow(new TypeError(message));
    await wrong({ all: true }, 'options.all is not an option; the options are executionId, seq, plan');
    await wrong({ plan: 'yes' }, 'options.plan must be a boolean, got "yes"');
    await wrong({ seq: '2' }, 'options.seq must be a number, got "2"');
    await expect(runtime.reject({ executionId, plan: true })).rejects.toThrow(
      new TypeError('options.plan is not an option; the options are executionId, seq'),
    );
    expect((await runtime.pending()).length).toBe(1);
  });
});

test('the arguments of a program are checked before it runs', async () => {
  const { connectors, done } = setup();
  const runtime = new CodemodeRuntime({ connectors, store: memoryStore(), executor: { typecheck: 'error' } });
  const { status, error } = await runtime.execute({ code: 'async () => github.create_issue({ titel: "a" })' });
  expect(status).toBe('error');
  expect(error).toMatch(/^ERR_VALIDATION_FAILED: .*'titel' does not exist in type '\{ title: string; \}'/);
  expect(done).toStrictEqual([]);
  const right = 'async () => (await github.list_issues({ state: "closed" })).length';
  expect(await runtime.execute({ code: right })).toMatchObject({ status: 'completed', result: 1 });
});

test('rollback undoes the calls that have a function for it, once', async () => {
  const { runtime, done } = setup();
  const { executionId } = await runtime.execute({ code: CREATE });
  await runtime.approve({ executionId });
  const reverted = await runtime.rollback({ executionId });
  expect(reverted.map(({ name, status }) => [name, status])).toStrictEqual([['github.create_issue', 'reverted']]);
  await runtime.rollback({ executionId });
  expect(done).toStrictEqual(['list open', 'create Bug 1', 'close 7 Bug 1']);
  const [{ calls }] = await runtime.executions();
  expect(calls.map(({ state }) => state)).toStrictEqual(['applied', 'reverted']);
});

describe('code and the host', () => {
  test('find functions and read their types', async () => {
    const { runtime } = setup();
    const found = {
      results: [
        {
          path: 'github.create_issue',
          connector: 'github',
          method: 'create_issue',
          description: 'Creates an issue.',
          requiresApproval: true,
          kind: 'method',
        },
      ],
      total: 1,
      truncated: false,
    };
    expect(await runtime.search('create')).toStrictEqual(found);
    const types =
      'declare const github: {\n  /** Creates an issue. */\n  create_issue(args: { title: string }): Promise<any>;\n};';
    const described = {
      path: 'github.create_issue',
      description: 'Creates an issue.',
      requiresApproval: true,
      types,
      kind: 'method',
    };
    expect(runtime.describe('github.create_issue')).toStrictEqual(described);
    const { result } = await runtime.execute({
      code: 'async () => [await codemode.search("create"), await codemode.describe("github.create_issue")]',
    });
    expect(result).toStrictEqual([found, described]);
    expect(runtime.describe('github')).toMatchObject({ kind: 'connector', description: 'Issues of one repository.' });
    expect(runtime.description).toContain('github: Issues of one repository.');
  });
});

test('executions can be removed, and other runtimes do not see them', async () => {
  const { runtime } = setup();
  const { executionId } = await runtime.execute({ code: 'async () => 1' });
  await runtime.deleteExecution(executionId);
  expect(await runtime.executions()).toStrictEqual([]);
  await expect(runtime.deleteExecution('other.1')).rejects.toThrow(
    new RangeError('"other.1" is not the id of an execution of this runtime'),
  );
});

test.each([
  [{ connectors: 1 }, 'options.connectors must be an array, got 1'],
  [{ connectors: [{ name: 'a-b', tools: {} }] }, 'the name of a connector must be an identifier, got "a-b"'],
  [
    { connectors: [{ name: 'codemode', tools: {} }] },
    'two connectors are called codemode; give one of them another name',
  ],
  [{ connectors: [{ name: 'a', tools: { b: 1 } }] }, 'a.b must be an object with a function `execute`, got 1'],
  [
    { connectors: [{ name: 'a', tools: { b: { execute() {}, requiresApproval: 1 } } }] },
    'a.b.requiresApproval must be a boolean, got 1',
  ],
  [
    { connectors: [{ name: 'a', tools: { b: { execute() {}, needsApproval: true } } }] },
    'a.b has needsApproval, which would be ignored: mark it with requiresApproval instead',
  ],
  [{ connectors: [], name: 'a.b' }, 'options.name must have 1 to 30 letters, digits, "_" and "-", got "a.b"'],
])('%j is refused', (options, message) => {
  expect(() => new CodemodeRuntime({ store: memoryStore(), ...options })).toThrow(new TypeError(message));
});
