// `SandboxManager`: what each kind of execution has and gives, the pool, the queue, and how executions end.
import { getEventListeners } from 'node:events';

import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';

import { ExecutorError } from '../../index.mjs';
import { Execution } from '../../build/sandbox/execution.js';
import { SandboxError, SandboxManager, anyState } from '../../build/sandbox/index.js';
import { deferred, expectCode, rejection, runChild } from '../helpers.mjs';
import { managerOf, registry } from './market.mjs';

test('a search has spec but neither sdk nor utils', async () => {
  const manager = managerOf();
  expect(await manager.executeSearch('[typeof spec, typeof sdk, typeof utils, typeof state]')).toStrictEqual([
    'object',
    'undefined',
    'undefined',
    'undefined',
  ]);
  expect(await manager.executeSearch("spec.find('candles')")).toStrictEqual([
    { method: 'market.getKline', source: 'market', name: 'getKline', description: 'Candles of a symbol' },
  ]);
  expect(await manager.executeSearch("spec.find('推文').length")).toBe(0);
  expect(await manager.executeSearch("spec.find('TWEETS words').map((it) => it.method)")).toStrictEqual([
    'social.searchTweets',
  ]);
  expect(await manager.executeSearch('spec.find(/^the LAST/i).map((it) => it.method)')).toStrictEqual([
    'market.getQuote',
  ]);
  expect(await manager.executeSearch("spec.find('')")).toStrictEqual([]);
  expect(
    await manager.executeSearch(
      "const { id, params, result, examples } = spec.method('market.getKline'); [id, params, result, examples]",
    ),
  ).toStrictEqual([
    'market.getKline',
    registry.sources[0].methods[0].params,
    { type: 'array' },
    [{ symbol: 'XAUUSD' }],
  ]);
  expect(await manager.executeSearch('spec')).toStrictEqual({
    sources: registry.sources.map(({ name, description, methods }) => ({
      name,
      description,
      methods: methods.map((method) => ({
        id: `${name}.${method.name}`,
        source: name,
        result: {},
        examples: [],
        ...method,
      })),
    })),
  });
  const error = await expectCode(manager.executeSearch("spec.method('market.nothing')"), 'ERR_RUNTIME_EXCEPTION');
  expect(error.details.message).toBe('there is no method "market.nothing"; look with spec.find("nothing")');
});

test('methods contain referenced schemas up to a size, and spec.$defs has all', async () => {
  const large = { type: 'string', description: 'x'.repeat(7_000) };
  const $defs = {
    node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, leaf: { $ref: '#/$defs/leaf' } } },
    leaf: { type: 'string' },
    large,
    other: { type: 'null' },
  };
  const params = { type: 'object', properties: { a: { $ref: '#/$defs/node' }, b: { $ref: '#/$defs/large' } } };
  const methods = [{ name: 'get', params }, { name: 'all' }];
  const manager = managerOf({ registry: { sources: [{ name: 'a', methods }], $defs } });
  expect(await manager.executeSearch("spec.method('a.get').params")).toStrictEqual({
    ...params,
    $defs: { node: $defs.node, leaf: $defs.leaf },
  });
  expect(await manager.executeSearch("spec.method('a.all').params")).toStrictEqual({ type: 'object' });
  expect(await manager.executeSearch('[Object.keys(spec.$defs), spec.$defs.large]')).toStrictEqual([
    ['node', 'leaf', 'large', 'other'],
    large,
  ]);
});

test('methods are found by their exact names', async () => {
  const methods = ['get', 'Get', 'getAll', 'all'].map((name) => ({ name, description: `b.get a.${name} ${name}` }));
  const manager = managerOf({
    registry: {
      sources: [
        { name: 'a', methods },
        { name: 'none', methods: [] },
        { name: 'b', methods: methods.slice(0, 1) },
      ],
    },
  });
  const ids = ['a.get', 'a.Get', 'a.getAll', 'a.all', 'b.get'];
  expect(await manager.executeSearch(`${JSON.stringify(ids)}.map((id) => spec.method(id).id)`)).toStrictEqual(ids);
  expect(await manager.executeSearch(`spec.sources.map(({ methods }) => methods.length)`)).toStrictEqual([4, 0, 1]);
  expect(await manager.executeSearch(`spec.method('a.get') === spec.sources[0].methods[0]`)).toBe(true);
  for (const path of ['a.ge', 'none.get', 'b.Get', 'c.get', 'a', 5]) {
    await expectCode(manager.executeSearch(`spec.method(${JSON.stringify(path)})`), 'ERR_RUNTIME_EXCEPTION');
  }
});

test('plain words find methods, in singular or plural; if no method has all words, the best matches are returned', async () => {
  const methods = [
    { name: 'listForUser', description: 'List repositories for a user' },
    { name: 'createPullRequest', description: 'Create a pull request' },
    { name: 'listCommits', description: 'List commits' },
    { name: 'getAddress', description: 'Get an address with its boxes' },
  ];
  const manager = managerOf({ registry: { sources: [{ name: 'repos', methods }] } });
  const found = {
    'pull requests': ['createPullRequest'],
    repository: ['listForUser'],
    'list, commits': ['listCommits'],
    list_commits: ['listCommits'],
    'repos.listCommits': ['listCommits'],
    addresses: ['getAddress'],
    box: ['getAddress'],
    'get commits': ['listCommits', 'getAddress'],
    'how to create a pull request': ['createPullRequest'],
    'create or list a request': ['createPullRequest', 'listForUser', 'listCommits'],
    the: [],
    nothing: [],
    '...': [],
  };
  for (const [words, names] of Object.entries(found)) {
    expect(
      await manager.executeSearch(`spec.find(${JSON.stringify(words)}).map((it) => it.name)`),
      words,
    ).toStrictEqual(names);
  }
});

test('the best matches come first: words of the name count most, then the first words of the description', async () => {
  const methods = [
    ['getClones', 'Get repository clones'],
    ['getHTTPStatus', 'Tells the status. It may get any repository.'],
    ['listIssues', 'Get the issues of a repository'],
    ['get', 'Get a repository. It has all there is.'],
    ['getForUser', 'Get a repository for a user'],
    ['budget', 'Tells what there is to spend on a repository'],
  ].map(([name, description]) => ({ name, description }));
  const manager = managerOf({ registry: { sources: [{ name: 'repos', methods }] } });
  expect(await manager.executeSearch(`spec.find('get a repository').map((it) => it.name)`)).toStrictEqual([
    'get',
    'getForUser',
    'getClones',
    'listIssues',
    'getHTTPStatus',
    'budget',
  ]);
});

test('text without spaces is found by parts of it', async () => {
  const methods = [
    ['create', '创建用户'],
    ['remove', '删除用户'],
    ['getKline', '获取 K 线数据'],
    ['search', 'ツイートを検索する'],
    ['list', '주문 목록'],
  ].map(([name, description]) => ({ name, description }));
  const manager = managerOf({ registry: { sources: [{ name: 'api', methods }] } });
  const found = {
    用户: ['create', 'remove'],
    创建用户: ['create'],
    用户创建: ['create', 'remove'],
    新建用户: ['create', 'remove'],
    怎么创建一个用户: ['create', 'remove'],
    获取K线数据: ['getKline'],
    K线: ['getKline'],
    線: [],
    検索ツイート: ['search'],
    주문목록조회: ['list'],
  };
  for (const [words, names] of Object.entries(found)) {
    expect(await manager.executeSearch(`spec.find('${words}').map((it) => it.name)`), words).toStrictEqual(names);
  }
});

test('a search by words returns the fifty best matches, or a given number, and logs how many there are', async () => {
  const methods = Array.from({ length: 60 }, (_, n) => ({ name: `get${n}` }));
  const manager = managerOf({ registry: { sources: [{ name: 'api', methods }] } });
  let logs;
  const lengths = async (code) => [
    await manager.executeSearch(`${code}.length`, { onReport: (report) => (logs = report.logs) }),
    logs,
  ];
  const said = (limit) => `spec.find returns the best ${limit} of 60 methods`;
  expect(await lengths("spec.find('get')")).toStrictEqual([50, said(50)]);
  expect(await lengths("spec.find('get', { limit: 3 })")).toStrictEqual([3, said(3)]);
  expect(await lengths("spec.find('get', { limit: 60 })")).toStrictEqual([60, '']);
  expect(await lengths('spec.find(/get/)')).toStrictEqual([60, '']);
});

test('a search over many methods returns the same as a linear search', async () => {
  // Words that share most of their characters, so that what is only similar has to be told apart.
  const parts = ['list', 'lists', 'last', 'order', 'border', 'Größe', '推文', 'a', 'is', 'orderlist', 'e\u0301', '𝒳'];
  const part = (n) => parts[n % parts.length];
  const methods = Array.from({ length: 700 }, (_, n) => ({
    name: `get${n % 97}_${n}`,
    description: `${part(n)} ${part(n * 7 + 3)}\n${part(Math.floor(n / 64))} number${n}`,
  }));
  const sources = [
    { name: 'first', methods: methods.slice(0, 333) },
    { name: 'none', methods: [] },
    { name: 'second', methods: methods.slice(333) },
  ];
  const manager = managerOf({ registry: { sources } });
  const texts = [...parts, ...parts.map((text, n) => `${text} ${part(n + 1)}`)];
  texts.push(
    'number69',
    'number699',
    'get5_',
    'ord list',
    'first.get',
    'second.get0_388',
    'umber33 ist',
    'nothing',
    'lists order is',
  );
  const found = await manager.executeSearch(
    `${JSON.stringify(texts)}.map((text) => spec.find(text, { limit: Infinity }).map(({ method }) => method))`,
  );
  const all = sources.flatMap(({ name, methods: own }) =>
    own.map((method) => ({ id: `${name}.${method.name}`, text: `${name}.${method.name} ${method.description}` })),
  );
  texts.forEach((text, at) => {
    const words = text
      .toLowerCase()
      .replace('lists', 'list')
      .match(/[^\s._]+/g);
    const said = words.filter((word) => word !== 'a' && word !== 'is');
    const wanted = said.length > 0 ? said : words;
    const fitting = all.filter((it) => wanted.every((word) => it.text.toLowerCase().includes(word)));
    // Fewer than ten are filled up with methods that fit in part.
    const first = fitting.length < 10 ? found[at].slice(0, fitting.length) : found[at];
    expect(first.sort(), text).toStrictEqual(fitting.map(({ id }) => id).sort());
  });
  expect(found.flat().length).toBeGreaterThan(1_000);
  const ids = all.map(({ id }) => id);
  const same = await manager.executeSearch(`${JSON.stringify(ids)}.every((id) => spec.method(id).id === id)`);
  expect(same).toBe(true);
});

test('an execution calls adapters and returns a valid state', async () => {
  const calls = [];
  const manager = managerOf({
    adapters: {
      market: {
        getKline(params, call) {
          calls.push([this === undefined, params, call.source, call.method, call.context, call.signal.aborted]);
          return [{ close: 1 }];
        },
        getQuote: async () => 7,
      },
      social: { searchTweets: () => [] },
    },
    context: { tenant: 'a' },
  });
  const code = `
    var candles = sdk.market.getKline({ symbol: 'XAUUSD' });
    ({ title: 'Gold', panels: [{ type: 'line', data: candles, price: sdk.market.getQuote() }] })`;
  const want = { title: 'Gold', panels: [{ type: 'line', data: [{ close: 1 }], price: 7 }] };
  expect(await manager.executeCode(code)).toStrictEqual(want);
  await manager.executeCode(code, { context: { tenant: 'b' } });
  expect(calls).toStrictEqual([
    [false, { symbol: 'XAUUSD' }, 'market', 'getKline', { tenant: 'a' }, false],
    [false, { symbol: 'XAUUSD' }, 'market', 'getKline', { tenant: 'b' }, false],
  ]);
});

test('a program that is a function is called', async () => {
  const manager = managerOf({ stateSchema: anyState });
  expect(await manager.executeCode('async () => (await sdk.market.getQuote()).method')).toBe('getQuote');
  expect(await manager.executeCode('function () { return sdk.market.getQuote().method }')).toBe('getQuote');
});

test('a mutation gets a hardened copy of the state', async () => {
  const manager = managerOf();
  const state = { title: 'a', panels: [{ type: 'line', points: [1, 2] }] };
  const before = structuredClone(state);
  expect(await manager.executeMutate('(state) => ({ ...state, title: "x" })', state)).toStrictEqual({
    ...before,
    title: 'x',
  });
  expect(await manager.executeMutate('function (s) { return { ...s, title: "y" }; };', state)).toMatchObject({
    title: 'y',
  });
  expect(await manager.executeMutate('({ ...state, title: "z" })', state)).toMatchObject({ title: 'z' });
  expect(await manager.executeMutate('const next = { ...state }; next.title = "q"; return next;', state)).toMatchObject(
    { title: 'q' },
  );
  expect(
    await manager.executeMutate('async (s) => ({ ...s, title: (await sdk.market.getQuote()).method })', state),
  ).toMatchObject({ title: 'getQuote' });
  const error = await expectCode(
    manager.executeMutate('(state) => { state.panels[0].points.push(3); return state; }', state),
    'ERR_RUNTIME_EXCEPTION',
  );
  expect(error.details).toMatchObject({ name: 'TypeError', line: 1, column: 37 });
  expect(state).toStrictEqual(before);
});

test('promises in a state are awaited', async () => {
  const manager = managerOf({ adapters: async (source, method) => method, stateSchema: anyState });
  const code = `const a = await sdk.market.getQuote(); const b = sdk.social.searchTweets();
    const shared = [b]; ({ a, list: [b, , Promise.resolve([1, b])], shared, again: shared, at: new Date(5) })`;
  const b = 'searchTweets';
  expect(await manager.executeCode(code)).toStrictEqual({
    a: 'getQuote',
    list: [b, , [1, b]],
    shared: [b],
    again: [b],
    at: new Date(5),
  });
  expect(
    await manager.executeMutate(`async (state) => ({ ...state, b: sdk.social.searchTweets() })`, { a: 1 }),
  ).toStrictEqual({
    a: 1,
    b,
  });
  const failing = '({ a: Promise.reject(new RangeError("too far")) })';
  expect((await expectCode(manager.executeCode(failing), 'ERR_RUNTIME_EXCEPTION')).details.message).toBe('too far');
});

test('a value in a state that is not data is refused with its path, however the program ends', async () => {
  const manager = managerOf({ stateSchema: anyState });
  const refused = {
    '({ panels: [{ fmt: (x) => x }] })': ['panels.0.fmt', 'must be data, got the function "fmt"'],
    'if (true) { ({ a: Symbol("s") }) }': ['a', 'must be data, got the symbol Symbol(s)'],
    'if (true) return { a: { b: Math.max } }; 1': ['a.b', 'must be data, got the function "max"'],
    '(async () => ({ a: [() => 1] }))()': ['a.0', 'must be data, got the function ""'],
    'await 1; Promise.resolve({ a: Promise.resolve(() => 1) })': ['a', 'must be data, got the function ""'],
    '() => ({ a: class A {} })': ['a', 'must be data, got the function "A"'],
    'sdk.market': ['getKline', 'must be data, got the function "getKline"'],
  };
  for (const [code, [path, message]] of Object.entries(refused)) {
    const error = await expectCode(manager.executeCode(code), 'ERR_INVALID_STATE_OUTPUT');
    expect(error.details.issues).toStrictEqual([{ path, message }]);
    expect(error.message).toBe(`Invalid state: ${path}: ${message}`);
  }
  const error = await expectCode(manager.executeMutate('({ ...state, a: Math.max })', {}), 'ERR_INVALID_STATE_OUTPUT');
  expect(error.details.issues).toStrictEqual([{ path: 'a', message: 'must be data, got the function "max"' }]);
  // Of a search it is shown.
  expect(await manager.executeSearch('({ a: Math.max })')).toStrictEqual({ a: '[Function: max]' });
});

test('an invalid state is refused with each path', async () => {
  const manager = managerOf();
  const error = await expectCode(
    manager.executeCode('({ title: 5, panels: [{ type: "line" }, { title: "x" }] })'),
    'ERR_INVALID_STATE_OUTPUT',
  );
  expect(error).toBeInstanceOf(SandboxError);
  expect(error.retryable).toBe(true);
  expect(error.details.issues).toStrictEqual([
    { path: 'title', message: 'must be a string, got 5' },
    { path: 'panels.1.type', message: 'must be a non-empty string, got undefined' },
  ]);
  const strict = managerOf({ stateSchema: z.object({ items: z.array(z.object({ id: z.number() })) }) });
  expect(await strict.executeCode('({ items: [{ id: 1, more: 2 }] })')).toStrictEqual({ items: [{ id: 1 }] });
  const other = await expectCode(
    strict.executeCode('({ items: [{ id: 1 }, { id: "2" }] })'),
    'ERR_INVALID_STATE_OUTPUT',
  );
  expect(other.details.issues.map(({ path }) => path)).toStrictEqual(['items.1.id']);
  const slow = managerOf({
    stateSchema: { '~standard': { version: 1, vendor: 'test', validate: async (value) => ({ value: [value] }) } },
  });
  expect(await slow.executeCode('1')).toStrictEqual([1]);
});

test('a failing state schema causes a SandboxError', async () => {
  const bug = new TypeError('schema bug');
  const failing = {
    throws: () => {
      throw bug;
    },
    rejects: async () => {
      throw bug;
    },
    'a program without a value': () => undefined,
  };
  for (const [how, validate] of Object.entries(failing)) {
    const manager = managerOf({ stateSchema: { '~standard': { version: 1, vendor: 'test', validate } } });
    const error = await expectCode(manager.executeCode('1'), 'ERR_INVALID_SCHEMA');
    expect(error, how).toBeInstanceOf(SandboxError);
    expect(error.message, how).toBe(`The state schema has failed: TypeError: ${error.cause.message}`);
    expect([error.retryable, error.details, error.report.failure], how).toStrictEqual([
      false,
      { reason: 'stateSchema' },
      { code: 'ERR_INVALID_SCHEMA', message: error.message },
    ]);
    if (how !== 'a program without a value') expect(error.cause).toBe(bug);
  }
});

// It held its place for good, which close() did not end.
test('a state schema that does not answer ends with the deadline, the signal and close()', async () => {
  const validating = [];
  const never = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: () => {
        const began = validating.shift();
        began?.resolve();
        return new Promise(() => {});
      },
    },
  };
  const quick = managerOf({ stateSchema: never, maxConcurrent: 1, executionTimeoutMs: 2_000 });
  const late = await expectCode(quick.executeCode('1'), 'ERR_EXEC_TIMEOUT');
  expect(late.message).toBe('The state schema did not answer within 2000 ms');
  expect(late.details).toStrictEqual({ timeoutMs: 2_000, reason: 'stateSchema' });
  expect(await quick.executeSearch('2')).toBe(2);
  const manager = managerOf({ stateSchema: never });
  const start = async (options) => {
    const began = deferred();
    validating.push(began);
    const execution = manager.executeCode('1', options);
    execution.catch(() => {});
    await began.promise;
    return execution.then(undefined, (error) => ({ error }));
  };
  const controller = new AbortController();
  const given = start({ signal: controller.signal });
  const other = start();
  await new Promise((resolve) => setImmediate(resolve));
  while (validating.length > 0) await new Promise((resolve) => setImmediate(resolve));
  controller.abort('no longer');
  const { error } = await given;
  expect(error).toMatchObject({ code: 'ERR_EXEC_TIMEOUT', message: 'Execution aborted while its state was validated' });
  expect(error.details).toMatchObject({ aborted: true, reason: 'no longer' });
  await manager.close();
  expect((await other).error).toMatchObject({ code: 'ERR_SANDBOX_CLOSED' });
});

test("an execution leaves no listener on the caller's signal, whatever its outcome", async () => {
  const manager = managerOf({ maxConcurrent: 1 });
  const { signal } = new AbortController();
  // One runs, the others wait; one fails, one has a state that is wrong.
  const executions = ['({ title: "", panels: [] })', 'null.x', '1'].map((code) =>
    manager.executeCode(code, { signal }),
  );
  expect((await Promise.allSettled(executions)).map(({ status }) => status)).toStrictEqual([
    'fulfilled',
    'rejected',
    'rejected',
  ]);
  expect(getEventListeners(signal, 'abort')).toStrictEqual([]);
});

test('parsing ends with the deadline, the signal and close(), and occupies no slot', async () => {
  // Takes longer to read than what follows here.
  const slow = '01;'.repeat(87_000);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const quick = managerOf({ executionTimeoutMs: 1, maxConcurrent: 1 });
  for (let round = 0; round < 2; round++) {
    expect(await rejection(quick.executeCode(slow))).toMatchObject({
      code: 'ERR_EXEC_TIMEOUT',
      message: 'The program could not be read within 1 ms',
      details: { timeoutMs: 1 },
    });
  }
  const manager = managerOf();
  const controller = new AbortController();
  const given = rejection(manager.executeCode(slow, { signal: controller.signal }));
  const other = rejection(manager.executeCode(slow));
  await turn();
  controller.abort('no longer');
  expect(await given).toMatchObject({
    code: 'ERR_EXEC_TIMEOUT',
    message: 'Execution aborted while its program was read',
    details: { timeoutMs: 30_000, aborted: true, reason: 'no longer' },
  });
  await manager.close();
  expect(await other).toMatchObject({ code: 'ERR_SANDBOX_CLOSED' });
});

test('a failing listener changes no outcome and causes a warning', async () => {
  const { stderr, stdout } = await runChild(`
    import { SandboxManager, anyState } from 'ses-executor/sandbox';
    const fail = () => { throw Object.create(null); };
    const registry = { sources: [{ name: 'a', methods: [] }] };
    const manager = new SandboxManager({ registry, adapters: {}, stateSchema: anyState, onReport: async () => fail() });
    console.log(await manager.executeCode('1 + 1', { onReport: fail }));
    console.log(await manager.executeCode('null.x', { onReport: fail }).catch(({ code }) => code));
    await manager.close();
  `);
  expect(stdout).toBe('2\nERR_RUNTIME_EXCEPTION\n');
  // One of the manager's, and one of each execution's own.
  expect(stderr.match(/SES_EXECUTOR_ON_REPORT\] SESExecutorWarning: options\.onReport failed/g)).toHaveLength(3);
});

test('an execution sends a report', async () => {
  const reports = [];
  const manager = managerOf({ onReport: (report) => reports.push(report) });
  const own = [];
  await manager.executeCode(
    `console.log('one'); sdk.market.getQuote(); sdk.market.getQuote(); sdk.social.searchTweets(); ({ title: '', panels: [] })`,
    { onReport: (report) => own.push(report) },
  );
  expect(own).toStrictEqual(reports);
  expect(reports[0]).toMatchObject({
    kind: 'execute',
    style: 'sync',
    ok: true,
    logs: 'one',
    sdkCalls: { market: 2, social: 1 },
  });
  for (const ms of Object.values(reports[0].times)) expect(ms).toBeGreaterThanOrEqual(0);
  const error = await rejection(manager.executeCode('console.log("two");\n  missing.x'));
  expect(error.report).toBe(reports[1]);
  expect(error.logs).toBe('two');
  expect(reports[1]).toMatchObject({
    ok: false,
    logs: 'two',
    failure: { code: 'ERR_RUNTIME_EXCEPTION', line: 2, column: 3 },
  });
});

test('no state of an execution reaches another', async () => {
  const manager = managerOf({ poolSize: 2, stateSchema: anyState });
  await manager.executeCode('var left = 1; globalThis.other = 2; 1');
  expect(await manager.executeCode('[typeof left, typeof other]')).toStrictEqual(['undefined', 'undefined']);
});

test('isolates are created ahead of use, or on demand if none is ready', async () => {
  const manager = managerOf({ poolSize: 2 });
  while (manager.ready < 2) await new Promise((resolve) => setImmediate(resolve));
  const none = managerOf({ poolSize: 0 });
  expect(none.ready).toBe(0);
  expect(await none.executeSearch('1')).toBe(1);
  const many = await Promise.all(Array.from({ length: 6 }, (_, i) => manager.executeSearch(`${i}`)));
  expect(many).toStrictEqual([0, 1, 2, 3, 4, 5]);
});

test('executions take turns, and those beyond the limit are refused', async () => {
  const gates = [deferred(), deferred()];
  const called = [deferred(), deferred()];
  const manager = managerOf({
    stateSchema: anyState,
    maxConcurrent: 1,
    maxQueued: 1,
    adapters: async (source, method, { at }) => {
      called[at].resolve();
      return gates[at].promise;
    },
  });
  const first = manager.executeCode('sdk.market.getQuote({ at: 0 })');
  await called[0].promise;
  const second = manager.executeCode('sdk.market.getQuote({ at: 1 })');
  const error = await expectCode(manager.executeCode('1'), 'ERR_SANDBOX_BUSY');
  expect(error.retryable).toBe(true);
  // Its program was not read.
  expect(Object.keys(error.report)).toStrictEqual(['kind', 'ok', 'logs', 'logEntries', 'sdkCalls', 'times', 'failure']);
  gates[0].resolve('first');
  expect(await first).toBe('first');
  gates[1].resolve('second');
  expect(await second).toBe('second');
  expect(await manager.executeCode('3')).toBe(3);
});

test('a signal ends executions that run, wait or have not begun', async () => {
  const called = deferred();
  const ended = deferred();
  const manager = managerOf({
    stateSchema: anyState,
    maxConcurrent: 1,
    adapters: (source, method, params, { signal }) => {
      signal.addEventListener('abort', () => ended.resolve(signal.reason));
      called.resolve();
      return new Promise(() => {});
    },
  });
  const [one, two] = [new AbortController(), new AbortController()];
  const running = manager.executeCode('sdk.market.getQuote()', { signal: one.signal });
  running.catch(() => {});
  await called.promise;
  const waiting = manager.executeCode('1', { signal: two.signal });
  two.abort('no longer');
  const refused = await expectCode(waiting, 'ERR_EXEC_TIMEOUT');
  expect(refused.details).toMatchObject({ aborted: true, reason: 'no longer' });
  one.abort(new Error('enough'));
  const error = await expectCode(running, 'ERR_EXEC_TIMEOUT');
  expect(error.details).toMatchObject({ aborted: true, reason: 'enough' });
  expect(await ended.promise).toBe(one.signal.reason);
  await expectCode(manager.executeCode('1', { signal: one.signal }), 'ERR_EXEC_TIMEOUT');
  expect(await manager.executeCode('2')).toBe(2);
});

test('close() ends all executions without waiting', async () => {
  const called = deferred();
  const manager = managerOf({
    maxConcurrent: 2,
    adapters: () => {
      called.resolve();
      return new Promise(() => {});
    },
  });
  const hanging = manager.executeCode('sdk.market.getQuote()');
  const looping = manager.executeCode('for (;;) {}');
  const waiting = manager.executeCode('1');
  for (const it of [hanging, looping, waiting]) it.catch(() => {});
  await called.promise;
  await manager.close();
  for (const it of [hanging, looping, waiting]) await expectCode(it, 'ERR_SANDBOX_CLOSED');
  await expectCode(manager.executeCode('1'), 'ERR_SANDBOX_CLOSED');
  await manager.close();
});

test.each([0, 1])('close() ends calls made in the same turn, with %d isolates created ahead', async (poolSize) => {
  const calls = [];
  const manager = managerOf({ stateSchema: anyState, poolSize, adapters: (...call) => void calls.push(call) });
  await vi.waitUntil(() => manager.ready === poolSize, 20_000);
  const asked = manager.executeCode('sdk.market.getQuote()');
  await manager.close();
  await expectCode(asked, 'ERR_SANDBOX_CLOSED');
  expect([calls, manager.ready]).toStrictEqual([[], 0]);
});

test('two managers do not disturb each other', async () => {
  const [one, two] = [
    managerOf({ stateSchema: anyState, maxConcurrent: 1 }),
    managerOf({ stateSchema: anyState, maxConcurrent: 1 }),
  ];
  const stuck = one.executeCode('for (;;) {}');
  stuck.catch(() => {});
  expect(await two.executeCode('sdk.market.getQuote().method')).toBe('getQuote');
  await one.close();
  await expectCode(stuck, 'ERR_SANDBOX_CLOSED');
  expect(await two.executeCode('2')).toBe(2);
});

test('only the first fifty issues of a state schema are reported', async () => {
  const issues = Array.from({ length: 60 }, (_, at) => ({ message: 'is wrong', path: [at] }));
  const stateSchema = { '~standard': { version: 1, vendor: 'acme', validate: () => ({ issues }) } };
  const error = await expectCode(managerOf({ stateSchema }).executeCode('1'), 'ERR_INVALID_STATE_OUTPUT');
  expect(error.details.issues).toHaveLength(50);
  expect(error.details.issues[49]).toStrictEqual({ path: '49', message: 'is wrong' });
});

// The hints were only in the results of tools: that of wrong parameters was that the code is not to blame, and that of
// a deadline that variables are gone, of which a program has none.
test.each([
  [
    'wrong parameters',
    'sdk.market.getQuote("GOLD")',
    {},
    'Read the schema with spec.method("source.method") and correct the parameters.',
  ],
  ['no state', '({ panels: 1 })', {}, 'Return a state in which the paths above are corrected.'],
  [
    'a deadline',
    'while (true) {}',
    { executionTimeoutMs: 50 },
    'Do less in one run, and await only promises that settle.',
  ],
])('the explanation of %s has a hint', async (_, code, options, hint) => {
  const error = await rejection(managerOf(options).executeCode(code));
  expect(error).toBeInstanceOf(SandboxError);
  expect(error.explanation.split('\n').at(-1)).toBe(`Hint: ${hint}`);
});

// The executor knows its variable by the name, which the function's parameter has taken, whatever it is called.
test.each(['(state) => { state.n = 2; return state }', '(s) => { s.panels.push(1); return s }', '(s) => delete s.n'])(
  'a mutation that changes the state has a hint to make a new one: %s',
  async (code) => {
    const { details } = await expectCode(
      managerOf().executeMutate(code, { title: 't', panels: [], n: 1 }),
      'ERR_RUNTIME_EXCEPTION',
    );
    expect(details.hint).toBe(
      'The state and everything in it is frozen: make a new one, or change a copy, `structuredClone(state)`.',
    );
  },
);

// The words of the isolate's preparation looked like those of another run of the session: "Declare it again."
test.each([
  [
    'executeSearch',
    'sdk.market.getQuote({})',
    'A search has only `tools` and `spec`: call `sdk` in a program that is executed.',
  ],
  [
    'executeSearch',
    'utils.pctChange([1, 2])',
    'A search has only `tools` and `spec`: call `utils` in a program that is executed.',
  ],
  ['executeSearch', 'state.title', 'Only a mutation has the state.'],
  ['executeCode', 'state.title', 'Only a mutation has the state.'],
  ['executeCode', 'values.length', undefined],
  ['executeCode', 'result.length', undefined],
])('%s of %j has a hint about what is available', async (method, code, hint) => {
  const { details } = await expectCode(managerOf()[method](code), 'ERR_RUNTIME_EXCEPTION');
  expect([details.name, details.hint]).toStrictEqual(['ReferenceError', hint]);
});

test('limits of the executor end an execution', async () => {
  const manager = managerOf({ maxCodeBytes: 1_000 });
  const quick = managerOf({ executionTimeoutMs: 300, poolSize: 0 });
  const small = managerOf({ memoryLimitMb: 16, poolSize: 0 });
  await expectCode(quick.executeCode('for (;;) {}'), 'ERR_EXEC_TIMEOUT');
  await expectCode(
    small.executeCode('const hoard = []; for (;;) hoard.push({ at: hoard.length })'),
    'ERR_MEMORY_LIMIT_EXCEEDED',
  );
  const large = await expectCode(manager.executeCode(`'${'x'.repeat(1_000)}'`), 'ERR_VALIDATION_FAILED');
  expect(large.details.diagnostics[0].rule).toBe('code_too_large');
  // Bytes of UTF-8: with these the code takes 999.
  const program = (text) => `'${text}'; ({ title: '', panels: [] })`;
  const full = 'é'.repeat((999 - program('').length) / 2);
  expect((await manager.executeCode(program(full))).title).toBe('');
  await expectCode(manager.executeCode(program(`${full}é`)), 'ERR_VALIDATION_FAILED');
  const wrong = await expectCode(manager.executeCode('const = 1'), 'ERR_VALIDATION_FAILED');
  expect(wrong.details.diagnostics[0]).toMatchObject({ rule: 'syntax_valid', location: { line: 1, column: 7 } });
  await expectCode(manager.executeCode('  '), 'ERR_VALIDATION_FAILED');
  const imported = await expectCode(manager.executeCode('await import("node:fs")'), 'ERR_IMPORT_NOT_ALLOWED');
  expect(imported).toBeInstanceOf(ExecutorError);
});

test('a signal in place of options is refused', async () => {
  const manager = new SandboxManager({ registry, adapters: () => 1 });
  await expect(manager.executeCode('1', AbortSignal.abort())).rejects.toThrow(
    new TypeError('options must be a plain object, got an AbortSignal; pass { signal }'),
  );
  await manager.close();
});

test('wrong arguments of the host cause TypeErrors and RangeErrors', async () => {
  const make = (options) => () => new SandboxManager({ registry, adapters: () => 1, ...options });
  expect(make({ registry: { sources: 5 } })).toThrow(
    new TypeError('options.registry must be an object with the array `sources`, got an object'),
  );
  expect(make({ registry: { sources: [{ name: 'a b', methods: [] }] } })).toThrow(
    'options.registry.sources[0].name must be an identifier, got "a b"',
  );
  expect(make({ registry: { sources: [{ name: 'a', methods: [{ name: '__proto__' }] }] } })).toThrow(
    new TypeError('options.registry.sources[0].methods[0].name must be an identifier, got "__proto__"'),
  );
  // Its parameters would not be checked.
  const definition = { name: 'f', parameters: { type: 'object', required: ['id'] } };
  expect(make({ registry: { sources: [{ name: 'a', methods: [definition] }] } })).toThrow(
    new TypeError('options.registry.sources[0].methods[0].parameters is not a key of methods; did you mean params?'),
  );
  // Nor would they by the properties of an object of zod's.
  const ofZod = z.object({ id: z.string() });
  const method = { name: 'f', params: z.toJSONSchema(ofZod), result: z.toJSONSchema(ofZod) };
  await make({ registry: { sources: [{ name: 'a', methods: [method] }] } })().close();
  for (const [key, schema] of [
    ['params', ofZod],
    ['params', { id: z.string() }],
    ['result', ofZod],
  ]) {
    const wrong = { ...method, [key]: schema };
    expect(make({ registry: { sources: [{ name: 'a', methods: [wrong] }] } })).toThrow(
      new TypeError(
        `options.registry.sources[0].methods[0].${key} must be a JSON schema, got a schema of a library; with zod 4, pass z.toJSONSchema(schema)`,
      ),
    );
  }
  expect(
    make({
      registry: {
        sources: [
          { name: 'a', methods: [] },
          { name: 'a', methods: [] },
        ],
      },
    }),
  ).toThrow('is taken');
  expect(make({ adapters: { market: { getKline() {} } } })).toThrow(
    'options.adapters.market.getQuote must be a function, got undefined',
  );
  const toString = { sources: [{ name: 'a', methods: [{ name: 'toString' }] }] };
  expect(make({ registry: toString, adapters: { a: {} } })).toThrow(
    'options.adapters.a.toString must be a function, got undefined',
  );
  expect(make({ stateSchema: {} })).toThrow('options.stateSchema must be a Standard Schema, got an object');
  expect(make({ poolsize: 1 })).toThrow('did you mean options.poolSize?');
  expect(make({ maxSdkCalls: 1.5 })).toThrow(
    new RangeError('options.maxSdkCalls must be an integer from 0 to 1000000, got 1.5'),
  );
  expect(make({ rateLimits: { nothing: { perSecond: 1 } } })).toThrow('options.rateLimits.nothing is not a source');
  expect(make({ rateLimits: { market: { perSecond: 0 } } })).toThrow(
    new RangeError('options.rateLimits.market.perSecond must be an integer from 1 to 1000000, got 0'),
  );
  const manager = managerOf();
  expect(await rejection(manager.executeCode(5))).toStrictEqual(new TypeError('code must be a string, got 5'));
  expect(await rejection(manager.executeCode('1', { style: 'x' }))).toStrictEqual(
    new TypeError('options.style must be "auto", "sync" or "async", got "x"'),
  );
  expect(await rejection(manager.executeMutate('1', { f() {} }))).toBeInstanceOf(TypeError);
  expect(manager.sources).toStrictEqual([
    { name: 'market', description: 'Prices', methods: 2 },
    { name: 'social', description: 'Tweets – 推文', methods: 1 },
  ]);
});

test('the console prints the methods of a source, used or not', async () => {
  const reports = [];
  const manager = managerOf({ stateSchema: anyState, onReport: ({ logs }) => reports.push(logs) });
  const code = `console.log(sdk.social, sdk);
  const own = Symbol.for('nodejs.util.inspect.custom');
  [sdk.market[own], Reflect.ownKeys(sdk.market), Object.isFrozen(sdk.market), console.log(sdk.market)]`;
  expect(await manager.executeCode(code)).toStrictEqual([undefined, ['getKline', 'getQuote'], true, undefined]);
  expect(reports).toStrictEqual([
    '{ searchTweets: [Function: searchTweets] } { market: [Getter], social: [Getter] }\n' +
      '{ getKline: [Function: getKline], getQuote: [Function: getQuote] }',
  ]);
});

describe('an execution that has ended', () => {
  const executionWith = (adapter) => {
    const methodOf = () => ({ reader: { read: JSON.parse }, adapter });
    return new Execution('execute', { methodOf, rateLimitOf: () => undefined, maxSdkCalls: 9 }, undefined);
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test.each([
    ['gives', (late) => late.resolve('late')],
    ['throws', (late) => late.reject(new Error('late'))],
  ])('calls no adapter and ignores one that still %s', async (_, settle) => {
    const late = deferred();
    const adapter = vi.fn(() => late.promise);
    const execution = executionWith(adapter);
    const settled = vi.fn();
    const call = () => execution.call('market', 'getQuote', '{}').then(settled, settled);
    void call();
    await turn();
    execution.end();
    void call();
    settle(late);
    await turn();
    expect(adapter).toHaveBeenCalledTimes(1);
    expect(settled).not.toHaveBeenCalled();
  });

  test('drops answers that were not read', async () => {
    const execution = executionWith(() => 'answer');
    const tickets = [1, 2].map(() => execution.start('market', 'getQuote', '{}'));
    await turn();
    expect(execution.take(tickets[0])).toBe('answer');
    expect(() => execution.take(tickets[0])).toThrow('there is no such call');
    execution.end();
    expect(() => execution.take(tickets[1])).toThrow('there is no such call');
  });

  test('keeps its first failure', () => {
    const execution = executionWith(() => 'answer');
    const [first, second] = [new Error('first'), new Error('second')];
    execution.fail(first);
    execution.fail(second);
    expect([execution.failure, execution.stop.reason, execution.signal.reason]).toStrictEqual([first, first, first]);
  });
});

test('a signal that is aborted right after the call ends the execution', async () => {
  const adapter = vi.fn(() => 1);
  const manager = managerOf({ stateSchema: anyState, adapters: adapter });
  const controller = new AbortController();
  const execution = manager.executeCode('sdk.market.getQuote()', { signal: controller.signal });
  controller.abort('no longer');
  const error = await expectCode(execution, 'ERR_EXEC_TIMEOUT');
  expect(error.details).toMatchObject({ aborted: true, reason: 'no longer' });
  expect(adapter).not.toHaveBeenCalled();
});

test("the console prints the values of spec's getters", async () => {
  let report;
  const manager = managerOf({ onReport: (one) => (report = one) });
  const shown = async (code) => {
    await manager.executeSearch(`console.log(${code}); 1`);
    return report.logs;
  };
  expect(await shown("spec.method('market.getQuote')")).toBe(
    `{
  id: 'market.getQuote',
  source: 'market',
  name: 'getQuote',
  description: 'The last price',
  params: { type: 'object' },
  result: {},
  examples: []
}`,
  );
  expect(await shown('spec.sources[1]')).toBe(`{
  name: 'social',
  description: 'Tweets – 推文',
  methods: [
    {
      id: 'social.searchTweets',
      source: 'social',
      name: 'searchTweets',
      description: 'Tweets with words',
      params: [Object],
      result: {},
      examples: []
    }
  ]
}`);
  expect(await shown('spec.sources')).toBe(`[
  {
    name: 'market',
    description: 'Prices',
    methods: [ [Object], [Object] ]
  },
  { name: 'social', description: 'Tweets – 推文', methods: [ [Object] ] }
]`);
});
