// The option `globals` where options of executors are taken: code tools, the MCP server, managers, the command line.

import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { checkTypes } from 'ses-executor';
import { createCodeTool, planOf } from 'ses-executor/code-tool';
import { createMcpServer } from 'ses-executor/mcp';
import { SandboxManager, renderSandboxPrompt } from 'ses-executor/sandbox';
import { describe, expect, test } from 'vitest';

import { registry } from '../sandbox/market.mjs';
import { ROOT, expectCode, spawnNode, withExecutor } from '../helpers.mjs';

const BIN = join(ROOT, 'bin', 'ses-executor.js');
const WAIT = "await new Promise((resolve) => setTimeout(resolve, 1, 'waited'))";
const NETWORK = { allow: ['api.example.com'], methods: ['GET'] };

describe('code tools', () => {
  test('the description says what code has, and code has it', async () => {
    const tool = createCodeTool({ tools: {}, globals: ['timers', 'fetch'], network: NETWORK });
    expect(tool.description).toContain(
      'There is no import, no require and no process: only the language. Code has setTimeout and setInterval. `fetch` reaches only api.example.com, with GET.',
    );
    expect(await tool.execute(WAIT)).toMatchObject({ output: 'waited' });
  });

  test('without the option the description is as before', () => {
    expect(createCodeTool({ tools: {} }).description).toContain(
      'There is no network, no timer, no import, no require and no process: only the language.',
    );
  });

  test('hints for missing functions name the functions that exist', async () => {
    const hintOf = async (options, code) => {
      const tool = createCodeTool({ tools: {}, ...options });
      const result = await tool.execute(code);
      return JSON.stringify(result);
    };
    const without = await hintOf({}, 'await sleep(5)');
    expect(without).toContain('There are no timers: leave the wait out');
    const timers = await hintOf({ globals: ['timers'] }, 'await sleep(5)');
    expect(timers).toContain('Wait with `await new Promise((resolve) => setTimeout(resolve, milliseconds))`.');
    const fetched = await hintOf(
      { globals: ['fetch'], network: NETWORK },
      "await axios.get('https://api.example.com/')",
    );
    expect(fetched).toContain('Make requests with `await fetch(url)`.');
  });
});

test('a plan holds requests to their number', async () => {
  const code = "const first = await fetch('https://api.example.com/a').catch(({ message }) => message); first";
  const plan = planOf(code, { tools: { fetch: () => {} }, earlier: [] });
  const asked = [];
  const onToolCall = ({ name }) => {
    asked.push(name);
    return { result: { status: 200, body: 'x' } };
  };
  await withExecutor({ globals: ['fetch'], network: NETWORK, onToolCall }, {}, async (executor) => {
    expect((await executor.run(code, { plan })).output).toMatchObject({ status: 200 });
    const twice = "await fetch('https://api.example.com/a'); await fetch('https://api.example.com/b')";
    const error = await expectCode(executor.run(twice, { plan }), 'ERR_TOOL_PROXY_FAIL');
    expect(error.message).toContain('has only one call of it');
    const none = { ...plan, tools: [] };
    await expectCode(executor.run('await fetch("https://api.example.com/")', { plan: none }), 'ERR_TOOL_PROXY_FAIL');
    expect(asked).toStrictEqual(['fetch', 'fetch']);
  });
});

describe('the plan of a code tool', () => {
  const options = (calls) => ({
    globals: ['fetch'],
    network: NETWORK,
    onToolCall: ({ name, args: [url, init] }) => {
      if (name !== 'fetch') return undefined;
      calls.push(`${init.method} ${url}`);
      return { result: { status: 200, body: '[]' } };
    },
  });
  const possible = { name: 'fetch', times: 'repeatedly', conditional: true, certain: false, calls: [] };

  // Plans had no requests, so a run that was held to its plan could make none.
  test.each([
    ['called', "await fetch('https://api.example.com/a')"],
    ['passed on', "await ((request) => request('https://api.example.com/a'))(fetch)"],
    ['with an escape in its name', "await f\\u0065tch('https://api.example.com/a')"],
    ['a member with a computed name', "await globalThis['fet' + 'ch']('https://api.example.com/a')"],
  ])('has the requests of its program: %s', async (_, code) => {
    const calls = [];
    const tool = createCodeTool({ tools: { other: () => 1 }, enforcePlan: true, ...options(calls) });
    const plan = await tool.plan(code);
    expect(plan).toMatchObject({ complete: false });
    expect(plan.tools.find(({ name }) => name === 'fetch')).toStrictEqual(possible);
    expect(await tool.execute(code)).not.toHaveProperty('error');
    expect(calls).toStrictEqual(['GET https://api.example.com/a']);
  });

  test('has no requests of a program that cannot name fetch, or that has no network', async () => {
    const tool = createCodeTool({ tools: { other: () => 1 }, ...options([]) });
    expect(await tool.plan('await other()')).toMatchObject({ complete: true, tools: [{ name: 'other' }] });
    expect((await createCodeTool({ tools: {} }).plan("fetch('https://api.example.com/')")).tools).toStrictEqual([]);
  });

  test('contains the calls of programs that give `fetch` another meaning', async () => {
    const calls = [];
    await withExecutor(options([]), { remove: () => calls.push('remove') }, async (executor) => {
      await executor.run('const fetch = (work) => work()');
      const tool = createCodeTool({ tools: {}, executor, enforcePlan: true });
      const code = 'await fetch(() => remove())';
      expect((await tool.plan(code)).tools.map(({ name }) => name)).toStrictEqual(['remove', 'fetch']);
      expect(await tool.execute(code)).not.toHaveProperty('error');
      expect(calls).toStrictEqual(['remove']);
    });
  });
});

test('type checks know the groups', async () => {
  const messages = async (code, globals) => (await checkTypes(code, { globals })).map(({ message }) => message);
  expect(await messages('setTimeout(() => {}, 5)', ['timers'])).toStrictEqual([]);
  expect(await messages("clearTimeout(setTimeout(() => {}, 'x'))", ['timers'])).toStrictEqual([
    "Argument of type 'string' is not assignable to parameter of type 'number'.",
  ]);
  const program = `const response = await fetch('https://api.example.com/', { signal: AbortSignal.timeout(5) });
    const id: string = crypto.randomUUID() + performance.now();
    [response.status.toFixed(), (await response.json()).any, new Headers({ a: 'b' }).get('a'), id]`;
  expect(await messages(program, ['fetch', 'abort', 'crypto', 'performance'])).toStrictEqual([]);
  const bodies = `const form = new FormData();
    form.append('file', new File([new Blob(['a'])], 'a.txt', { type: 'text/plain' }), 'b.txt');
    const response = await fetch('https://api.example.com/', { method: 'POST', body: form });
    for await (const part of response.body) console.log(part.length);
    const { done, value } = await response.clone().body.getReader().read();
    [done, value.length, (await response.blob()).size, (await response.formData()).get('a')]`;
  expect(await messages(bodies, ['fetch'])).toStrictEqual([]);
  expect(await messages('new FormData().add("a", "b")', ['fetch'])).toStrictEqual([
    "Property 'add' does not exist on type 'FormData'.",
  ]);
  expect(await messages('(await fetch("https://api.example.com/")).stauts', ['fetch'])).toStrictEqual([
    "Property 'stauts' does not exist on type 'Response'. Did you mean 'status'?",
  ]);
});

test('a manager gives them to its programs, and its prompt names them', async () => {
  const manager = new SandboxManager({
    registry,
    adapters: async () => 1,
    globals: ['timers', 'crypto'],
    poolSize: 1,
  });
  try {
    expect(renderSandboxPrompt(manager)).toContain(
      'There is no network, no file system, no require, no import and no eval. Code has setTimeout and setInterval, crypto',
    );
    expect(await manager.executeSearch(`${WAIT} + crypto.randomUUID().length`)).toBe('waited36');
  } finally {
    await manager.close();
  }
});

test('an MCP server describes them and runs code with them', async () => {
  const server = await createMcpServer({ globals: ['timers'] });
  const client = new Client({ name: 'test', version: '1' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(here), client.connect(there)]);
  try {
    const { tools } = await client.listTools();
    const { description } = tools.find(({ name }) => name === 'run_javascript');
    expect(description).toContain('Code has setTimeout and setInterval.');
    const { content } = await client.callTool({ name: 'run_javascript', arguments: { code: WAIT } });
    expect(content[0].text).toContain('waited');
  } finally {
    await client.close();
    await server.close();
  }
});

describe('the command line', () => {
  const run = (args, input) => spawnNode([BIN, 'run', '-', ...args], { input });

  test('--globals names groups', async () => {
    expect(await run(['--globals', 'timers,crypto'], WAIT)).toMatchObject({
      status: 0,
      stdout: 'waited\n',
      stderr: '',
    });
    const check = await spawnNode([BIN, 'check', '-', '--globals', 'timers'], { input: WAIT });
    expect(check).toMatchObject({ status: 0 });
    expect(check.stdout + check.stderr).not.toContain('not available');
  });

  test('--allow-host allows a host', async () => {
    const input = "await fetch('https://other.example.com/').catch(({ message }) => message)";
    const { stdout } = await run(['--globals', 'fetch', '--allow-host', 'api.example.com'], input);
    expect(stdout).toBe('fetch: https://other.example.com is not allowed; allowed here: api.example.com\n');
  });

  test('wrong values are refused', async () => {
    expect(await run(['--globals', 'timer'], '1')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        '--globals must be a list of timers, crypto, performance, abort, fetch, got "timer"',
      ),
    });
    expect(await run(['--allow-host', 'a.b'], '1')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--allow-host needs --globals fetch'),
    });
    expect(await run(['--globals', 'fetch', '--allow-host', 'a b'], '1')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--allow-host must be a host such as'),
    });
  });
});
