// How models get at a manager: tools of the AI SDK, the server of the Model Context Protocol, and the prompt.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { describe, expect, test } from 'vitest';

import { anyState, createSandboxTools, renderSandboxPrompt } from '../../build/sandbox/index.js';
import { ROOT, spawnNode, withFolder } from '../helpers.mjs';
import { serve } from '../http-server.mjs';
import { managerOf } from './market.mjs';

const BIN = join(ROOT, 'bin', 'ses-executor.js');
const call = (tool, code) => tool.execute({ code }, { toolCallId: '1', messages: [] });

describe('createSandboxTools', () => {
  test('returns the three tools with the sources in their descriptions', async () => {
    const tools = createSandboxTools(managerOf());
    expect(Object.keys(tools)).toStrictEqual(['search', 'execute', 'mutate']);
    expect(tools.search.description).toContain('- sdk.market: Prices (2 methods)');
    expect(tools.execute.description).toContain('- sdk.social: Tweets – 推文 (1 method)');
    expect(await call(tools.search, "console.log('x'); spec.find('last price').length")).toStrictEqual({
      output: 1,
      logs: 'x',
    });
  });

  test('passes the state from execute to mutate, and a failure is a value that leaves it unchanged', async () => {
    const tools = createSandboxTools(managerOf());
    const made = { title: 'a', panels: [{ type: 'line', method: 'getQuote' }] };
    const code = `({ title: 'a', panels: [{ type: 'line', method: sdk.market.getQuote().method }] })`;
    expect(await call(tools.execute, code)).toStrictEqual({ output: made, logs: '' });
    expect(await call(tools.mutate, '(state) => ({ ...state, title: 5 })')).toStrictEqual({
      error: {
        code: 'ERR_INVALID_STATE_OUTPUT',
        message: 'Invalid state: title: must be a string, got 5',
        hint: 'Return a state in which the paths above are corrected.',
        retryable: true,
      },
      logs: '',
    });
    const failed = await call(tools.mutate, '(state) =>\n  missing');
    expect(failed.error).toMatchObject({ code: 'ERR_RUNTIME_EXCEPTION', line: 2, column: 3 });
    expect(await call(tools.mutate, '(state) => ({ ...state, title: state.title + "b" })')).toStrictEqual({
      output: { ...made, title: 'ab' },
      logs: '',
    });
    const unknown = await call(tools.execute, 'sdk.market.getQuot()');
    expect(unknown.error.hint).toBe('there is no sdk.market.getQuot; did you mean sdk.market.getQuote?');
    const invalid = await call(tools.execute, 'sdk.market.getKline({})');
    expect(invalid.error).toMatchObject({ code: 'ERR_INVALID_PARAMS', hint: expect.stringContaining('spec.method') });
  });

  test('pass images in an output to the model as parts of the tool result', async () => {
    const tools = createSandboxTools(managerOf({ stateSchema: anyState }));
    const png = [137, 80, 78, 71, 13, 10, 26, 10];
    const output = await call(tools.execute, `({ chart: new Uint8Array(${JSON.stringify(png)}) })`);
    const data = Buffer.from(png).toString('base64');
    expect(output).toStrictEqual({
      output: { chart: '[image/png, 8 bytes]' },
      logs: '',
      content: [{ type: 'image', mimeType: 'image/png', data }],
    });
    expect(await tools.execute.toModelOutput({ toolCallId: '1', input: {}, output })).toStrictEqual({
      type: 'content',
      value: [
        { type: 'text', text: '{"output":{"chart":"[image/png, 8 bytes]"},"logs":""}' },
        { type: 'image-data', data, mediaType: 'image/png' },
      ],
    });
  });

  test('pass what a program shows to the model, also of a program that fails', async () => {
    const reports = [];
    const tools = createSandboxTools(managerOf({ stateSchema: anyState, onReport: (report) => reports.push(report) }));
    const png = [137, 80, 78, 71, 13, 10, 26, 10];
    const image = { type: 'image', mimeType: 'image/png', data: Buffer.from(png).toString('base64') };
    const shown = [image, { type: 'text', text: 'seen' }];
    const show = `display(new Uint8Array(${JSON.stringify(png)})); display('seen');`;
    const output = await call(tools.execute, `${show} 5`);
    expect(output).toStrictEqual({ output: 5, logs: '', content: shown });
    expect((await tools.execute.toModelOutput({ toolCallId: '1', input: {}, output })).value.slice(1)).toStrictEqual([
      { type: 'image-data', data: image.data, mediaType: 'image/png' },
      { type: 'text', text: 'seen' },
    ]);
    const failed = await call(tools.search, `${show} missing`);
    expect([failed.error.code, failed.content]).toStrictEqual(['ERR_RUNTIME_EXCEPTION', shown]);
    expect(reports.map(({ content }) => content)).toStrictEqual([shown, shown]);
    // In async style, and with a result that has content too.
    const both = await call(tools.execute, `await display('seen'); [new Uint8Array(${JSON.stringify(png)})]`);
    expect(both).toStrictEqual({ output: ['[image/png, 8 bytes]'], logs: '', content: [shown[1], image] });
    expect(await call(tools.execute, 'const display = (n) => n + 1; display(1)')).toStrictEqual({
      output: 2,
      logs: '',
    });
    expect(tools.execute.description).toContain('`display(value)` shows you an image');
  });

  test('can store the state elsewhere, with the context of the tools', async () => {
    let stored = 1;
    const tools = createSandboxTools(
      managerOf({ stateSchema: anyState, adapters: (source, method, params, { context }) => context }),
      {
        context: 'tenant',
        getState: async () => stored,
        setState: (state) => (stored = state),
      },
    );
    expect(await call(tools.mutate, '(n) => [n, sdk.market.getQuote()]')).toStrictEqual({
      output: [1, 'tenant'],
      logs: '',
    });
    expect(stored).toStrictEqual([1, 'tenant']);
  });

  test('executes simultaneous calls in turn, whether they succeed, fail or are aborted', async () => {
    let stored = { n: 0 };
    const held = { getState: async () => stored, setState: async (state) => void (stored = state) };
    for (const options of [{ state: stored }, held]) {
      const tools = createSandboxTools(managerOf({ stateSchema: anyState }), options);
      const stop = new AbortController();
      const all = Promise.all([
        call(tools.mutate, '(state) => ({ ...state, a: 1 })'),
        call(tools.mutate, '(state) => missing'),
        tools.mutate.execute({ code: '(state) => ({ n: 5 })' }, { abortSignal: stop.signal }),
        call(tools.mutate, '(state) => ({ ...state, b: 1 })'),
      ]);
      stop.abort();
      const results = await all;
      expect(results.map(({ output, error }) => output ?? error.code)).toStrictEqual([
        { n: 0, a: 1 },
        'ERR_RUNTIME_EXCEPTION',
        'ERR_EXEC_TIMEOUT',
        { n: 0, a: 1, b: 1 },
      ]);
    }
    expect(stored).toStrictEqual({ n: 0, a: 1, b: 1 });
  });

  test.each(['getState', 'setState'])(
    'ends a call whose %s does not answer with its signal and the deadline, without delaying others',
    async (name) => {
      const stop = new AbortController();
      const hangs = () => (stop.abort(), new Promise(() => {}));
      const manager = managerOf({ stateSchema: anyState, executionTimeoutMs: 1_000 });
      const tools = createSandboxTools(manager, { [name]: hangs });
      const results = await Promise.all([
        tools.mutate.execute({ code: '() => 1' }, { abortSignal: stop.signal }),
        call(tools.mutate, '() => 2'),
      ]);
      expect(results.map(({ error }) => [error.code, error.message])).toStrictEqual([
        ['ERR_EXEC_TIMEOUT', 'Execution aborted: This operation was aborted'],
        ['ERR_EXEC_TIMEOUT', `${name} did not answer within 1000 ms`],
      ]);
    },
  );

  test('refuses wrong arguments', () => {
    expect(() => createSandboxTools({})).toThrow('manager must be a SandboxManager, got an object');
    expect(() => createSandboxTools(managerOf(), { contxt: 1 })).toThrow('did you mean options.context?');
  });

  test('can be used by a model', async () => {
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    const steps = [
      { toolName: 'search', code: "spec.find('last price').map((it) => it.method)" },
      { toolName: 'execute', code: '({ title: sdk.market.getQuote({}).method, panels: [] })' },
    ];
    const results = [];
    const model = new MockLanguageModelV3({
      doGenerate: async ({ prompt }) => {
        const last = prompt.at(-1);
        if (last.role === 'tool') results.push(last.content[0].output.value.output);
        const step = steps[results.length];
        if (step === undefined)
          return { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop' }, usage, warnings: [] };
        const input = JSON.stringify({ code: step.code });
        const content = [{ type: 'tool-call', toolCallId: `${results.length}`, toolName: step.toolName, input }];
        return { content, finishReason: { unified: 'tool-calls' }, usage, warnings: [] };
      },
    });
    const manager = managerOf();
    const { text } = await generateText({
      model,
      system: renderSandboxPrompt(manager),
      prompt: 'What is the price?',
      tools: createSandboxTools(manager),
      stopWhen: stepCountIs(5),
    });
    expect(text).toBe('done');
    expect(results).toStrictEqual([['market.getQuote'], { title: 'getQuote', panels: [] }]);
  });
});

describe('tools in programs', () => {
  const Order = { type: 'object', properties: { id: { type: 'string' }, parent: { $ref: '#/$defs/Order' } } };
  const registry = {
    $defs: { Order },
    sources: [
      {
        name: 'shop',
        description: 'Orders',
        methods: [
          {
            name: 'placeOrder',
            description: 'Places an order',
            params: {
              type: 'object',
              properties: { order: { $ref: '#/$defs/Order' }, note: { type: 'string', default: '' } },
              required: ['order'],
            },
            result: { type: 'array', items: { $ref: '#/$defs/Order' } },
            examples: [{ order: { id: 'a' } }],
          },
          { name: 'listOrders', description: 'Lists orders' },
        ],
      },
    ],
  };
  const DECLARED = (result) => `declare const sdk: {
  shop: {
    /**
     * Places an order
     * @example {"order":{"id":"a"}}
     */
    placeOrder(args: {
      order: Order;
      /** @default "" */
      note?: string;
    }): ${result};
  };
};

type Order = { id?: string; parent?: Order };`;
  const manager = (options) => managerOf({ registry, stateSchema: anyState, ...options });

  test.each([
    ['executeSearch', "tools.search('buy an order')[0].name", 'sdk.shop.placeOrder'],
    ['executeSearch', "(await tools.search({ query: 'list orders', limit: 1 }))", [{ name: 'sdk.shop.listOrders', description: 'Lists orders' }]],
    ['executeSearch', "tools.describe('sdk.shop.placeOrder')", DECLARED('Order[]')],
    ['executeCode', "tools.describe('shop.placeOrder')", DECLARED('Order[]')],
    ['executeCode', "await tools.describe(['shop.placeOrder'])", DECLARED('Promise<Order[]>')],
    ['executeMutate', "() => tools.describe('shop')", 'sdk.shop (2 functions):\n- sdk.shop.placeOrder: Places an order\n- sdk.shop.listOrders: Lists orders'],
    ['executeCode', 'const tools = [1]; tools', [1]],
  ])('%s: %s', async (method, code, expected) => {
    expect(await manager()[method](code)).toStrictEqual(expected);
  }); // prettier-ignore

  test.each([
    ['tools.search(5)', 'tools.search takes the words to search for, a string'],
    ["tools.search('a', 0)", 'the limit of tools.search must be an integer >= 1'],
    ["tools.describe('shop.placeOrdr')", 'there is no function "sdk.shop.placeOrdr"; did you mean sdk.shop.placeOrder?'],
    ['tools.describe(5)', 'tools.describe takes 1 to 20 names of functions, strings'],
  ])('%s is an error', async (code, message) => {
    await expect(manager().executeSearch(code)).rejects.toThrow(message);
  }); // prettier-ignore

  test('lookups do not count as SDK calls', async () => {
    const code = "for (let i = 0; i < 3; i++) tools.describe('shop'); sdk.shop.listOrders() && 1";
    expect(await manager({ maxSdkCalls: 1 }).executeCode(code)).toBe(1);
  });

  test('the description of execute declares all methods if they are short enough', () => {
    const { search, execute } = createSandboxTools(manager());
    const declared = `\n\nThese are all methods:\n\n${DECLARED('Order[]').replace('\n  };', '\n    /** Lists orders */\n    listOrders(): any;\n  };')}`;
    expect(execute.description.endsWith(`- sdk.shop: Orders (2 methods)${declared}`)).toBe(true);
    expect(search.description.endsWith('- sdk.shop: Orders (2 methods)')).toBe(true);
    const asynchronous = createSandboxTools(manager(), { style: 'async' }).execute.description;
    expect(asynchronous).toContain('): Promise<Order[]>;\n');
    const none = createSandboxTools(manager({ maxDeclarationChars: 100 })).execute.description;
    expect(none.endsWith('- sdk.shop: Orders (2 methods)')).toBe(true);
    expect(none).toContain('Search for methods and read their declarations first. ');
    const methods = Array.from({ length: 5_000 }, (_, at) => ({ name: `method${at}`, description: 'Does it.' }));
    const many = createSandboxTools(manager({ registry: { sources: [{ name: 'api', methods }] } }));
    expect(many.execute.description.endsWith('- sdk.api (5000 methods)')).toBe(true);
  });

  test('maxDeclarationChars is checked', () => {
    expect(() => manager({ maxDeclarationChars: -1 })).toThrow(
      new RangeError('options.maxDeclarationChars must be an integer >= 0, got -1'),
    );
  });
});

describe('renderSandboxPrompt', () => {
  test('refuses values that are not managers', () => {
    expect(() => renderSandboxPrompt()).toThrow(new TypeError('manager must be an object, got undefined'));
    expect(() => renderSandboxPrompt({})).toThrow(/^manager must be a SandboxManager/);
  });

  test('describes the sources, the limits and the rules of the style', () => {
    const manager = managerOf({ maxSdkCalls: 7, executionTimeoutMs: 5_000 });
    const sync = renderSandboxPrompt(manager);
    expect(sync).toContain('- sdk.market: Prices (2 methods)');
    expect(sync).toContain('A program has 5 s, 64 MiB and 7 SDK calls.');
    expect(sync).toContain('Do not use async, await or Promise.');
    expect(sync).toContain('utils.parallel(function () {');
    const promises = renderSandboxPrompt(manager, { style: 'async' });
    expect(promises).toContain('await Promise.all([');
    expect(promises).not.toContain('Do not use async');
    expect(() => renderSandboxPrompt(manager, { style: 'x' })).toThrow(
      'options.style must be "sync" or "async", got x',
    );
  });

  test('summarizes many sources', () => {
    const sources = Array.from({ length: 40 }, (_, i) => ({
      name: `s${i}`,
      description: 'x'.repeat(500),
      methods: [],
    }));
    const text = renderSandboxPrompt(managerOf({ registry: { sources } }));
    expect(text).toContain('- and 10 others: see spec.sources');
    expect(text.length).toBeLessThan(9_000);
  });
});

describe('ses-executor mcp --openapi', () => {
  const YAML = `
openapi: 3.0.3
info: { title: Pets, version: '1' }
paths:
  /pets/{id}:
    get:
      tags: [pets]
      operationId: getPet
      summary: One pet
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '200': { description: ok } }
`;

  test('serves search, execute and mutate over the API', () =>
    withFolder(async (folder) => {
      const asked = [];
      const { url: api } = await serve(({ url, headers }, response) => {
        asked.push([url, headers.authorization, headers['x-tag']]);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"name":"Rex"}');
      });
      const file = join(folder, 'pets.yaml');
      writeFileSync(file, YAML);
      const headers = ['Authorization: Bearer t', 'X-Tag: a', 'X-Tag: b:c'].flatMap((header) => ['--header', header]);
      const args = [BIN, 'mcp', '--openapi', file, '--base-url', api, ...headers];
      const client = new Client({ name: 'test', version: '1.0.0' });
      await client.connect(new StdioClientTransport({ command: process.execPath, args }));
      try {
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toStrictEqual(['search', 'execute', 'mutate']);
        expect(client.getInstructions()).toContain('- sdk.pets (1 method)');
        const use = async (name, code) => (await client.callTool({ name, arguments: { code } })).structuredContent;
        expect(await use('search', "spec.find('pet').map((it) => it.method)")).toStrictEqual({
          output: ['pets.getPet'],
          logs: '',
        });
        expect(await use('execute', 'sdk.pets.getPet({ id: 7 })')).toStrictEqual({ output: { name: 'Rex' }, logs: '' });
        expect(await use('mutate', '(pet) => ({ ...pet, age: 3 })')).toStrictEqual({
          output: { name: 'Rex', age: 3 },
          logs: '',
        });
        expect((await use('execute', "sdk.pets.getPet({ id: 'x' })")).error).toMatchObject({
          code: 'ERR_INVALID_PARAMS',
          line: 1,
        });
        expect(asked).toStrictEqual([['/pets/7', 'Bearer t', 'a, b:c']]);
      } finally {
        await client.close();
      }
    }));

  test('reports wrong usage', async () => {
    const said = async (...args) => {
      const { status, stderr } = await spawnNode([BIN, 'mcp', ...args]);
      return [status, stderr.split('\n')[0]];
    };
    expect(await said('--base-url', 'http://x')).toStrictEqual([2, 'ses-executor: --base-url needs --openapi']);
    expect(await said('--header', 'a: b')).toStrictEqual([2, 'ses-executor: --header needs --openapi']);
    expect(await said('--openapi', 'x', '--root', '.')).toStrictEqual([
      2,
      'ses-executor: --openapi and --root cannot be combined',
    ]);
    for (const [header, reason] of [
      ['x', 'one of the given headers has no colon'],
      [': x', 'one of the given headers has no colon'],
      ['Bad Name: x', 'the name or the value of Bad Name cannot be sent'],
      ['X: →', 'the name or the value of X cannot be sent'],
    ]) {
      expect(await said('--openapi', 'package.json', '--header', header)).toStrictEqual([
        2,
        `ses-executor: --header must be like "Name: value"; ${reason}`,
      ]);
    }
    expect((await said('--openapi', 'package.json'))[1]).toBe(
      'ses-executor: document must be Swagger 2.0 or OpenAPI 3.0, 3.1 or 3.2, got version undefined',
    );
    expect(await said('--openapi', 'missing.yaml')).toStrictEqual([
      2,
      "ses-executor: missing.yaml cannot be read: ENOENT: no such file or directory, open 'missing.yaml'",
    ]);
  });
});
