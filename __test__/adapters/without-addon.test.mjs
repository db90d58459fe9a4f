// What needs no isolate needs no addon: the adapters can be loaded, options checked and texts made where there is none.

import { expect, test } from 'vitest';

import { runChild } from '../helpers.mjs';

/** Runs CommonJS in a process that cannot load addons, and gives what the script prints as JSON. */
async function withoutAddon(script) {
  const hidden = `process.dlopen = () => { throw new Error('the addon is hidden'); };`;
  const child = await runChild(`${hidden}\n${script}`, { format: 'commonjs' });
  expect(child.stderr).toBe('');
  return JSON.parse(child.stdout);
}

test.each([
  ['./build/adapters/ai/index.js', 'createCodeTool'],
  ['./build/adapters/cli/check.js', 'check'],
  ['./build/adapters/cli/main.js', 'main'],
  ['./build/adapters/cli/run.js', 'run'],
  ['./build/adapters/cli/repl.js', 'repl'],
  ['./build/adapters/code-tool/index.js', 'createCodeTool'],
  ['./build/adapters/codemode/index.js', 'SESCodemodeExecutor'],
  ['./build/adapters/mcp/index.js', 'createMcpServer'],
  ['./build/adapters/prompts/index.js', 'renderSystemPrompt'],
  ['./build/adapters/smolagents/index.js', 'createSmolagentsExecutor'],
  ['./build/adapters/tanstack-ai/index.js', 'createSESIsolateDriver'],
  ['./build/files/index.js', 'createFileTools'],
  ['./build/ses/executor.js', 'SESExecutor'],
])('%s loads and exports %s', async (path, name) => {
  const script = `console.log(JSON.stringify(typeof require(${JSON.stringify(path)})[${JSON.stringify(name)}]))`;
  expect(await withoutAddon(script)).toBe('function');
});

test('the main entry reports that the addon is missing', async () => {
  const script = `try { require('./index.js') } catch ({ message }) { console.log(JSON.stringify(message)) }`;
  expect(await withoutAddon(script)).toMatch(/^ses-executor cannot be loaded: .* the addon is hidden$/);
});

test('prompts are rendered and tools are declared without the addon', async () => {
  const script = `
    const { renderSystemPrompt, toJavaScriptSignature } = require('./build/adapters/prompts');
    const tool = { name: 'add', description: '', inputs: { a: { type: 'number', description: '' } }, output_type: 'number' };
    console.log(JSON.stringify([
      renderSystemPrompt({ tools: [tool] }).includes('function add(a) {}'),
      toJavaScriptSignature(tool).split('\\n').at(-1),
    ]));`;
  expect(await withoutAddon(script)).toStrictEqual([true, 'async function add(a) {}']);
});

test('ai and codemode check their options, including modules', async () => {
  const script = `
    const { createCodeTool } = require('./build/adapters/ai');
    const { SESCodemodeExecutor } = require('./build/adapters/codemode');
    const messages = [];
    for (const options of [{ timeoutMs: 5 }, { timeout: 5 }, { maxLogBytes: 1 }, { modules: { m: { s: Symbol() } } }]) {
      for (const make of [() => createCodeTool({ tools: {}, ...options }), () => new SESCodemodeExecutor(options)]) {
        try {
          make();
          messages.push('made');
        } catch ({ name, message }) {
          messages.push(name + ': ' + message);
        }
      }
    }
    console.log(JSON.stringify(messages));`;
  const expected = [
    'made',
    'TypeError: options.timeout is not an option; did you mean options.timeoutMs?',
    'RangeError: options.maxLogBytes must be an integer >= 1024, got 1',
    'TypeError: options.modules.m.s (symbol) cannot be cloned',
  ];
  expect(await withoutAddon(script)).toStrictEqual(expected.flatMap((message) => [message, message]));
});
