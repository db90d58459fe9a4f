// Plans in code tools and executors: approvals with a plan, runs that are held to one, and the text for people.

import { describe, expect, test } from 'vitest';

import { SESExecutor } from 'ses-executor';
import { createCodeTool, planOf, renderPlan } from 'ses-executor/code-tool';
import { DurableSession, currentCall, memoryStore, waitForAnswer } from 'ses-executor/durable';
import { PyodideExecutor } from 'ses-executor/python';

import { deferred, expectCode, rejection, withExecutor } from '../helpers.mjs';

const NAMES = ['t0', 't1', 'ns.x'];

/** Tools that note their calls. */
function noting() {
  const calls = [];
  const note = (name) => (input) => (calls.push([name, input]), name);
  return { calls, tools: { t0: note('t0'), t1: note('t1'), ns: { x: note('ns.x') } } };
}

/** The plan of a program in a new isolate. */
function plan(code, options) {
  return planOf(code, { tools: noting().tools, earlier: [], ...options });
}

const anyPlan = (reason) => ({
  version: 1,
  complete: false,
  tools: NAMES.map((name) => ({ name, times: 'repeatedly', conditional: true, certain: false, calls: [] })),
  unresolved: [reason],
});

describe('a plan', () => {
  test('is plain JSON', () => {
    const made = plan('for (const n of [1, 2]) t0({ n, at: Date.now() }); if (1) ns.x(...[1]);');
    expect(JSON.parse(JSON.stringify(made))).toStrictEqual(made);
    expect(made).toStrictEqual({
      version: 1,
      complete: true,
      tools: [
        {
          name: 't0',
          times: { atMost: 2 },
          conditional: false,
          certain: true,
          calls: [
            {
              line: 1,
              column: 25,
              times: { atMost: 2 },
              conditional: false,
              arguments: [{ object: { n: { oneOf: [1, 2] }, at: { any: true } } }],
            },
          ],
        },
        {
          name: 'ns.x',
          times: 'once',
          conditional: true,
          certain: true,
          calls: [{ line: 1, column: 59, times: 'once', conditional: true, arguments: [{ rest: true }] }],
        },
      ],
      unresolved: [],
    });
  });

  test.each([
    ['that does not parse', 't0(', { reason: 'not_readable' }],
    ['that is empty', '', { reason: 'not_readable' }],
    ['that is too long', 't0()', { reason: 'not_readable' }, { maxCodeBytes: 3 }],
    ['in Python', 't0()', { reason: 'other_language' }, { language: 'python' }],
    [
      'of an unknown session',
      'foo',
      { reason: 'earlier_program', name: 'foo', line: 1, column: 1 },
      { earlier: undefined },
    ],
  ])('of a program %s has every tool', (_, code, reason, options) => {
    expect(plan(code, options)).toStrictEqual(anyPlan(reason));
  });

  test.each([
    [
      'names of the program, tools and the console',
      'const n = await t0(1); console.log(n, undefined); final_answer(n)',
    ],
    ['no names', '`${1 + 2}`'],
  ])('of an unknown session is exact for a program that uses only %s', (_, code) => {
    expect(plan(code, { earlier: undefined })).toStrictEqual(plan(code));
  });

  test('reads code as a run does: between its fences, and in its language', () => {
    const fenced = 'Here it is:\n```js\nawait t0("a");\n```\n';
    expect(plan(fenced).tools.map(({ name, calls }) => [name, calls[0].line])).toStrictEqual([['t0', 3]]);
    // Two comparisons in JavaScript, a call in TypeScript.
    const ambiguous = 't0 < any > (1)';
    expect(plan(ambiguous, { language: 'javascript' }).tools).toStrictEqual([]);
    expect(plan(ambiguous, { language: 'typescript' }).tools.map(({ name }) => name)).toStrictEqual(['t0']);
  });

  test('has the names that code uses', () => {
    const tools = [
      { name: 'list-files', execute: () => {} },
      { id: 'delete', execute: () => {} },
    ];
    expect(planOf('list_files(); delete_()', { tools, earlier: [] }).tools.map(({ name }) => name)).toStrictEqual([
      'list_files',
      'delete_',
    ]);
  });

  test.each([
    [5, {}, 'code must be a string, got 5'],
    ['1', undefined, 'options.tools must be an object of tools by name, or an array, got undefined'],
    ['1', { tools: {}, earlier: 'x' }, 'options.earlier must be an array of strings, got "x"'],
    ['1', { tools: {}, earlyer: [] }, 'options.earlyer is not an option; did you mean options.earlier?'],
    [
      '1',
      { tools: {}, language: 'ruby' },
      'options.language must be "auto" or "javascript" or "typescript" or "python", got "ruby"',
    ],
  ])('is refused for wrong arguments: %j, %j', (code, options, message) => {
    expect(() => planOf(code, options)).toThrow(message);
  });
});

describe('an approval', () => {
  const guarded = (calls) => ({
    remove: { needsApproval: true, execute: (input) => (calls.push(input), input.path) },
    look: () => 'seen',
  });

  test('gets the plan of the program, and approves only its own call with true', async () => {
    const [calls, requests] = [[], []];
    const approve = ({ name, input, plan: given }) => (requests.push([name, input, given]), true);
    const tool = createCodeTool({ tools: guarded(calls), approve });
    const code = 'for (const path of ["a", "b"]) await remove({ path })';
    await tool.execute(code);
    const expected = planOf(code, { tools: guarded([]), earlier: [] });
    expect(requests).toStrictEqual(['a', 'b'].map((path) => ['remove', { path }, expected]));
    expect(calls).toStrictEqual([{ path: 'a' }, { path: 'b' }]);
  });

  test('of the plan covers the calls in it, also those that are made while it is pending', async () => {
    const calls = [];
    let asked = 0;
    const tool = createCodeTool({ tools: guarded(calls), approve: async () => ((asked += 1), 'plan') });
    const code = 'await Promise.all(Array.from({ length: 40 }, (_, n) => remove({ path: `${n}` })))';
    expect((await tool.execute(code)).output).toStrictEqual(Array.from({ length: 40 }, (_, n) => `${n}`));
    expect([asked, calls.length]).toStrictEqual([1, 40]);
  });

  test('of the plan does not cover the next run', async () => {
    let asked = 0;
    const tool = createCodeTool({ tools: guarded([]), approve: async () => ((asked += 1), 'plan') });
    await tool.execute('await remove({ path: "a" })');
    await tool.execute('await remove({ path: "a" })');
    expect(asked).toBe(2);
  });

  test('of the plan does not cover a call with another input', async () => {
    const asked = [];
    const inputSchema = { '~standard': { version: 1, vendor: 'acme', validate: (value) => ({ value }) } };
    const remove = {
      inputSchema: {
        ...inputSchema,
        '~standard': { ...inputSchema['~standard'], jsonSchema: { input: () => ({ type: 'object' }) } },
      },
      needsApproval: true,
      // The tool itself asks for another call.
      execute: async ({ path }, { approve }) => (await approve('empty trash', { path }), path),
    };
    const approve = ({ name, input }) => (asked.push([name, input.path]), 'plan');
    await createCodeTool({ tools: { remove }, approve }).execute(
      'await remove({ path: "a" }); await remove({ path: "b" })',
    );
    expect(asked).toStrictEqual([
      ['remove', 'a'],
      ['empty trash', 'a'],
      ['empty trash', 'b'],
    ]);
  });

  test('that is refused while others wait asks for each of them', async () => {
    const [first, asked] = [deferred(), []];
    const approve = ({ input }) => (asked.push(input.path), asked.length === 1 ? first.promise : true);
    const tool = createCodeTool({ tools: guarded([]), approve });
    const code =
      'await Promise.allSettled(["a", "b", "c"].map((path) => remove({ path }))).then((all) => all.map(({ status }) => status))';
    const result = tool.execute(code);
    first.resolve(false);
    expect((await result).output).toStrictEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(asked).toStrictEqual(['a', 'b', 'c']);
  });

  test('has a plan of every tool for Python', async () => {
    const plans = [];
    const tool = createCodeTool({
      tools: guarded([]),
      language: 'python',
      approve: ({ plan: given }) => (plans.push(given), 'plan'),
    });
    await tool.execute('remove(path="a")\nremove(path="b")');
    expect(plans.map(({ tools, unresolved }) => [tools.map(({ name }) => name), unresolved])).toStrictEqual([
      [['remove', 'look'], [{ reason: 'other_language' }]],
    ]);
  });
});

describe('P22 a run that is held to a plan', () => {
  const held = (allowed, code, setUp = () => {}) =>
    withExecutor({}, {}, async (executor) => {
      const { calls, tools } = noting();
      await executor.sendTools(tools);
      await setUp(executor);
      const outcome = await executor.run(code, { plan: plan(allowed) }).catch((error) => error);
      return { outcome, calls };
    });

  test.each([
    ['another tool', 't0(1)', 't1(1)', 't1', 'does not contain this tool'],
    ['other arguments', 't0({ n: 1 })', 't0({ n: 2 })', 't0', 'has no call with these arguments'],
    ['a further member', 't0({ n: 1 })', 't0({ n: 1, m: 1 })', 't0', 'has no call with these arguments'],
    ['a further argument', 't0(1)', 't0(1, 2)', 't0', 'has no call with these arguments'],
    ['more calls', 't0("a"); t0("b")', 't0("a"); t0("b"); t0("a")', 't0', 'has only 2 calls of it'],
    [
      'more calls with these arguments',
      't0("a"); t0("b")',
      't0("a"); t0("a")',
      't0',
      'has fewer calls with these arguments',
    ],
    ['a tool of a namespace', 't0(1)', 'ns.x(1)', 'ns.x', 'does not contain this tool'],
  ])('does not make a call that is not in it: %s', async (_, allowed, code, tool, reason) => {
    const { outcome, calls } = await held(allowed, code);
    expect({ code: outcome.code, message: outcome.message, details: outcome.details }).toMatchObject({
      code: 'ERR_TOOL_PROXY_FAIL',
      message: `Tool execution failed: PlanError: The call of ${tool} is not in the plan: it ${reason}`,
      details: { code: 'ERR_CALL_NOT_PLANNED', tool, bridge: true },
    });
    expect(calls.length).toBe(code.split('(').length - 2);
  });

  test('can catch the refusal, which has a code', async () => {
    const code = 'try { t1(1) } catch ({ name, code }) { [name, code, t0(1)] }';
    const { outcome, calls } = await held('t0(1)', code);
    expect(outcome.output).toStrictEqual(['PlanError', 'ERR_CALL_NOT_PLANNED', 't0']);
    expect(calls).toStrictEqual([['t0', 1]]);
  });

  test('assigns calls to those of the plan in any order', async () => {
    const { outcome, calls } = await held('t0("a"); t0(Math.random())', 't0(1); t0("a")');
    expect([outcome.output, calls.length]).toStrictEqual(['t0', 2]);
  });

  test('refuses calls of code that an earlier run has left', async () => {
    const setUp = (executor) =>
      executor.run('let go; const wait = new Promise((resolve) => (go = resolve)); wait.then(() => t1("left")); 1');
    const { outcome, calls } = await held('t0(1)', 'go(); await null; await null; t0(1)', setUp);
    expect(outcome.output).toBe('t0');
    expect(calls).toStrictEqual([['t0', 1]]);
  });

  test('has its own count, also for the same plan', () =>
    withExecutor({}, {}, async (executor) => {
      const { calls, tools } = noting();
      await executor.sendTools(tools);
      const given = plan('t0(1)');
      for (let run = 0; run < 2; run++) await executor.run('t0(1)', { plan: given });
      expect(calls.length).toBe(2);
    }));

  test('does not ask onToolCall about a call that is not in the plan', () => {
    const asked = [];
    return withExecutor({ onToolCall: ({ name }) => void asked.push(name) }, {}, async (executor) => {
      await executor.sendTools(noting().tools);
      await executor.run('try { t1(1) } catch {} t0(1)', { plan: plan('t0(1)') });
      expect(asked).toStrictEqual(['t0']);
    });
  });

  test.each([
    ['calls no module', 't0(1)', false],
    ['imports a module', 'await import("m")', true],
  ])('calls functions of modules only if the plan %s', async (_, allowed, isCalled) => {
    const calls = [];
    const options = { authorizedImports: ['m'], modules: { m: { t0: (n) => calls.push(n) } } };
    await withExecutor(options, {}, async (executor) => {
      const running = executor.run('(await import("m")).t0(1)', { plan: plan(allowed) });
      if (isCalled) await running;
      else expect((await expectCode(running, 'ERR_TOOL_PROXY_FAIL')).details.code).toBe('ERR_CALL_NOT_PLANNED');
    });
    expect(calls).toStrictEqual(isCalled ? [1] : []);
  });

  test.each([
    [5, 'options.plan must be an object, got 5'],
    [{ version: 2 }, 'options.plan.version must be 1, got 2'],
    [{ version: 1 }, 'options.plan.tools must be an array, got undefined'],
    [{ version: 1, tools: [{ name: 't0' }] }, 'options.plan.tools[0].certain must be a boolean, got undefined'],
    [
      { version: 1, tools: [{ name: 't0', certain: true, times: 2, calls: [] }] },
      'options.plan.tools[0].times must be "once", "repeatedly" or { atMost: number }, got 2',
    ],
    [
      {
        version: 1,
        tools: [{ name: 't0', certain: true, times: 'once', calls: [{ times: 'once', arguments: [{ exact: 1 }] }] }],
      },
      'options.plan.tools[0].calls[0].arguments[0] must be an argument of a plan, got an object',
    ],
  ])('is refused for what is not a plan: %j', (given, message) =>
    withExecutor({}, {}, async (executor) => {
      const error = await rejection(executor.run('1', { plan: given }));
      expect([error.name, error.message]).toStrictEqual(['TypeError', message]);
    }),
  );

  test('holds Python to it', async () => {
    const executor = new PyodideExecutor(undefined, { mount: false });
    const { calls, tools } = noting();
    await executor.init();
    await executor.sendTools(tools);
    const error = await rejection(executor.run('t0(1)\nt1(1)', { plan: plan('t0(1)') }));
    expect([error.code, error.details.code, error.details.tool]).toStrictEqual([
      'ERR_TOOL_PROXY_FAIL',
      'ERR_CALL_NOT_PLANNED',
      't1',
    ]);
    expect(calls).toStrictEqual([['t0', 1]]);
    await executor.cleanup();
  });

  describe('in a durable session', () => {
    const keys = { sign: 'a key for tests' };
    const open = (store, tools) => DurableSession.open('s', { store, keys, tools });

    test('is held to it', async () => {
      const { calls, tools } = noting();
      const session = await open(memoryStore(), tools);
      const error = await rejection(session.run('t0(1); t1(1)', { plan: plan('t0(1)') }));
      expect([error.code, error.details.code, error.details.tool]).toStrictEqual([
        'ERR_TOOL_PROXY_FAIL',
        'ERR_CALL_NOT_PLANNED',
        't1',
      ]);
      expect(calls).toStrictEqual([['t0', 1]]);
      await session.cleanup();
    });

    const code = `
      const outcomes = [t0(1), await pay(5)];
      for (const make of [() => t0(1), () => t1(1), () => pay(5), () => t1(1)]) {
        try { outcomes.push(await make()); } catch (error) { outcomes.push(error.code); }
      }
      outcomes`;
    const refused = 'ERR_CALL_NOT_PLANNED';

    test.each([
      ['answers', { result: 'paid' }, []],
      ['approves', { approve: true }, [['pay', 5]]],
    ])(
      'is held to it after somebody %s a call in another process, and earlier calls count',
      async (_, answer, paid) => {
        const store = memoryStore();
        const { calls, tools } = noting();
        const pay = async (amount) => {
          if (!currentCall().isApproved) waitForAnswer({ amount });
          calls.push(['pay', amount]);
          return 'paid';
        };
        const given = { ...tools, pay };
        const allowed = planOf('t0(1); t1(1); await pay(5)', { tools: given, earlier: [] });
        const first = await open(store, given);
        const { status, calls: waiting } = await first.start(code, { plan: allowed });
        expect([status, waiting.map(({ name }) => name)]).toStrictEqual(['waiting', ['pay']]);
        await first.cleanup();
        const second = await open(store, given);
        const { output } = await second.answer({ [waiting[0].key]: answer });
        expect(output.output).toStrictEqual(['t0', 'paid', refused, 't1', refused, refused]);
        expect(calls).toStrictEqual([['t0', 1], ...paid, ['t1', 1]]);
        // The next run has no plan.
        expect((await second.run('[t0(1), t0(1)]')).output).toStrictEqual(['t0', 't0']);
        await second.cleanup();
      },
    );

    test('a plan of a run that did not begin does not hold the next one', async () => {
      const store = memoryStore();
      const { tools } = noting();
      const given = { ...tools, pay: async () => waitForAnswer(1) };
      const first = await open(store, given);
      const signal = AbortSignal.abort();
      await rejection(first.run('1', { plan: plan('1'), signal }));
      await first.cleanup();
      const second = await open(store, given);
      const { calls } = await second.start('await pay(1); t0(1)');
      const { output } = await second.answer({ [calls[0].key]: { result: 1 } });
      expect(output.output).toBe('t0');
      await second.cleanup();
    });

    test('a code tool holds runs to their plans, also by programs from before the session was rebuilt', async () => {
      const store = memoryStore();
      const { calls, tools } = noting();
      const first = await DurableSession.open('s', { store, keys });
      await createCodeTool({ tools, executor: first, enforcePlan: true }).execute(
        'const twice = (n) => [t0(n), t0(n)]; 0',
      );
      await createCodeTool({ tools, executor: first }).execute('const = 1');
      await first.cleanup();
      const second = await DurableSession.open('s', { store, keys });
      const tool = createCodeTool({ tools, executor: second, enforcePlan: true });
      await second.run('0');
      expect((await tool.plan('JSON.stringify(1)')).tools).toStrictEqual([]);
      expect((await tool.plan('twice(1)')).tools.map(({ name }) => name)).toStrictEqual(['t0']);
      expect((await tool.execute('twice(1)')).output).toStrictEqual(['t0', 't0']);
      expect(calls.length).toBe(2);
      await second.cleanup();
    });

    test('a code tool also applies a plan to a run that began without one, when the run continues', async () => {
      const store = memoryStore();
      const code = 'await pay({ amount: 1 }); const [name] = Object.keys({ t1: 1 }); await pay({ amount: 1 });';
      const pay = { needsApproval: true, execute: ({ amount }) => amount };
      const first = await DurableSession.open('s', { store, keys });
      await createCodeTool({ tools: { pay }, executor: first }).execute(code);
      await first.cleanup();
      const second = await DurableSession.open('s', { store, keys });
      // The plan of this tool has no `pay`.
      const tool = createCodeTool({ tools: noting().tools, executor: second, enforcePlan: true });
      const answer = ([{ key }]) => ({ [key]: { result: 1 } });
      const { error } = await tool.execute(code, { answer });
      expect([error.code, error.message]).toStrictEqual([
        'ERR_TOOL_PROXY_FAIL',
        expect.stringContaining('The call of pay is not in the plan'),
      ]);
      await second.cleanup();
    });

    test('a call that waits for approval shows the plan', async () => {
      const session = await DurableSession.open('s', { store: memoryStore(), keys });
      const remove = { needsApproval: true, execute: () => 'removed' };
      const tool = createCodeTool({ tools: { remove }, executor: session });
      const code = 'await remove({ path: "a" }); await remove({ path: "b" });';
      const { waiting, text } = await tool.execute(code);
      const expected = planOf(code, { tools: { remove }, earlier: [] });
      expect(waiting[0].payload).toStrictEqual({ needsApproval: 'remove', plan: expected });
      expect(text).toContain('- remove({"path":"a"}): {"needsApproval":"remove"}\n');
      await session.cleanup();
    });
  });
});

describe('a code tool with enforcePlan', () => {
  test('holds each run to its own plan, which allows every call of it', async () => {
    const { calls, tools } = noting();
    const tool = createCodeTool({ tools, enforcePlan: true });
    const code = 'const main = async () => { for (const n of [1, 2]) await t0(n); return ns.x("y"); };';
    expect((await tool.execute(code)).output).toBe('ns.x');
    expect(calls).toStrictEqual([
      ['t0', 1],
      ['t0', 2],
      ['ns.x', 'y'],
    ]);
  });

  test.each([
    'async () => { BODY }',
    'export default async function () { BODY }',
    'export const run = async () => { BODY };',
    'module.exports = async () => { BODY };',
    'async function main() { BODY }\nmain',
    '() => () => async () => { BODY }',
    'return async () => { BODY }',
  ])('allows the calls of a program whose value is its function: %s', async (form) => {
    const { calls, tools } = noting();
    const tool = createCodeTool({ tools, enforcePlan: true });
    const body = 'for (const n of [1, 2]) await t0(n); const { x } = ns; return x("y");';
    expect(await tool.execute(form.replace('BODY', body))).not.toHaveProperty('error');
    expect(calls).toStrictEqual([['t0', 1], ['t0', 2], ['ns.x', 'y']]); // prettier-ignore
  });

  test('knows the programs that its executor has run', () =>
    withExecutor({}, {}, async (executor) => {
      const { calls, tools } = noting();
      const tool = createCodeTool({ tools, executor, enforcePlan: true });
      await tool.execute('const twice = async (n) => { await t0(n); await t0(n); }; 0');
      expect((await tool.plan('Math.max(1, 2)')).tools).toStrictEqual([]);
      expect((await tool.plan('await twice(1)')).tools.map(({ name, certain }) => [name, certain])).toStrictEqual([
        ['t0', false],
      ]);
      await tool.execute('await twice(1)');
      // The owner of the executor defines a name that programs use.
      await executor.run('const Math = { max: () => t1("max") };');
      expect((await tool.plan('Math.max(1, 2)')).tools.map(({ name }) => name)).toStrictEqual(['t1']);
      expect(calls.length).toBe(2);
    }));

  test('includes the tools that the executor has in addition', () =>
    withExecutor({}, {}, async (executor) => {
      await executor.sendTools({ own: () => 'own', t0: () => 'hidden' });
      const tool = createCodeTool({ tools: noting().tools, executor, enforcePlan: true });
      const made = await tool.plan('own(1); t0(1)');
      expect(made.tools.map(({ name, calls }) => [name, calls.length])).toStrictEqual([
        ['t0', 1],
        ['own', 1],
      ]);
      expect((await tool.execute('[own(1), await t0(1)]')).output).toStrictEqual(['own', 't0']);
    }));

  test('does not count the functions that describe tools, and never refuses them', async () => {
    const { calls, tools } = noting();
    const tool = createCodeTool({ tools, enforcePlan: true, maxDeclarationChars: 0 });
    expect(tool.description).toContain('tools.search');
    const code =
      'const found = tools.search("x"); [found.length > 0, tools.describe("t0") !== "", [tools.search].length, t0(1)]';
    expect(await tool.plan(code)).toMatchObject({
      complete: true,
      tools: [{ name: 't0', times: 'once' }],
      unresolved: [],
    });
    expect((await tool.execute(code)).output).toStrictEqual([true, true, 1, 't0']);
    expect(calls).toStrictEqual([['t0', 1]]);
  });

  test('is refused where there are no plans', async () => {
    const python = new PyodideExecutor(undefined, { mount: false });
    const options = { tools: noting().tools, enforcePlan: true };
    const other = 'options.enforcePlan needs a JavaScript executor of this package: other programs have no plans';
    expect(() => createCodeTool({ ...options, language: 'python' })).toThrow(
      new TypeError('options.enforcePlan needs JavaScript or TypeScript: Python programs have no plans'),
    );
    expect(() => createCodeTool({ ...options, executor: python })).toThrow(new TypeError(other));
    const tool = createCodeTool({ ...options, executor: () => python });
    const { name, message } = await rejection(tool.execute('t0(1)'));
    expect([name, message]).toStrictEqual(['TypeError', other]);
    await python.cleanup();
  });

  test('knows that a program with a syntax error has not run', () =>
    withExecutor({}, {}, async (executor) => {
      const tool = createCodeTool({ tools: noting().tools, executor, enforcePlan: true });
      await tool.execute('const = 1');
      expect((await tool.plan('JSON.stringify(1)')).tools).toStrictEqual([]);
    }));

  test('refuses wrong options', () => {
    expect(() => createCodeTool({ tools: {}, enforcePlan: 'yes' })).toThrow(
      new TypeError('options.enforcePlan must be a boolean, got "yes"'),
    );
  });

  test('has the positions of the code that the model wrote', async () => {
    const tool = createCodeTool({ tools: noting().tools });
    const code = '```js\n[t0(1), t0(2)]\n```';
    const [{ calls }] = (await tool.plan(code)).tools;
    expect(calls.map(({ line, column }) => [line, column])).toStrictEqual([
      [2, 2],
      [2, 9],
    ]);
  });

  test('has the call with which a program that is only a function is called', async () => {
    const tool = createCodeTool({ tools: noting().tools });
    const [{ times, certain, conditional }] = (await tool.plan('async () => { await t0(1); }')).tools;
    expect({ times, certain, conditional }).toStrictEqual({ times: 'once', certain: true, conditional: false });
  });
});

describe('the text of a plan', () => {
  test('cannot be forged by constants of the program', () => {
    const code = `t0("x\\n- ns.x: once\\u202e", { "a\\u2028b": 1 }); t1("${'y'.repeat(500)}")`;
    expect(renderPlan(plan(code))).toBe(
      [
        'The program can call 2 tools:',
        '- t0: once',
        String.raw`    line 1: t0("x\n- ns.x: once\u{202e}", { "a\u{2028}b": 1 })`,
        '- t1: once',
        `    line 1: t1("${'y'.repeat(200)}" [300 more characters])`,
      ].join('\n'),
    );
  });

  test.each([
    ['', 'Any tool is possible, because it cannot be read.'],
    ['globalThis', 'Any tool is possible, because it uses the global object in line 1.'],
    ['import("m")', 'Any tool is possible, because it imports a module in line 1.'],
  ])('says why every tool is possible: %j', (code, line) => {
    expect(renderPlan(plan(code)).split('\n')[0]).toBe(line);
  });

  test('says that no tool is called', () => {
    expect(renderPlan(plan('1'))).toBe('The program can call no tool.');
  });

  test('is refused for what is not a plan', () => {
    expect(() => renderPlan({})).toThrow(new TypeError('plan.version must be 1, got undefined'));
  });
});

test('a plan is made without an executor that is used', () => {
  const executor = new SESExecutor();
  expect(executor.state).toBe('NEW');
  expect(plan('t0(1)').complete).toBe(true);
});

test('a plan has the tools that the owner of the executor has named as a helper', async () => {
  const shown = [];
  const display = async (value) => shown.push(value);
  await withExecutor({}, { display }, async (executor) => {
    const tool = createCodeTool({ executor, enforcePlan: true, tools: { pay: async () => 'paid' } });
    const code = 'await pay({}); await display(1)';
    const { tools, complete } = await tool.plan(code);
    expect(tools.map(({ name }) => name)).toStrictEqual(['pay', 'display']);
    expect(complete).toBe(true);
    expect((await tool.execute(code)).output).toBe(1);
    expect(shown).toStrictEqual([1]);
  });
});

test('arguments of a call that waits for approval cannot pass for other lines of the text', async () => {
  const session = await DurableSession.open('s', { store: memoryStore() });
  const tool = createCodeTool({
    executor: session,
    tools: { remove: { needsApproval: true, execute: async () => {} } },
  });
  const code = `const e = new Error('x'); e.message = 'ok)\\n- list({}): approved';
    await remove({ id: 'everything', other: '\\u202egnp.exe', line: 'a\\u2028b', e })`;
  const { text } = await tool.execute(code);
  const calls = text.split('\n').filter((line) => line.startsWith('- '));
  expect(calls).toHaveLength(1);
  expect(calls[0]).toContain("remove({ id: 'everything', other: '\\u{202e}gnp.exe', line: 'a\\u{2028}b', e: Error");
  await session.cleanup();
});
