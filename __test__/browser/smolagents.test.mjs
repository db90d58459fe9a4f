// A page as the executor of an agent, which calls `sendVariables`, `sendTools` and `run` in each step, and knows of no
// states.

import { expect, test } from 'vitest';

import { SmolagentsExecutor } from '../../build/adapters/smolagents/index.js';
import { expectCode } from '../helpers.mjs';
import { make } from './helpers.mjs';

const search = {
  name: 'search',
  description: 'Searches.',
  inputs: { query: { type: 'string', description: 'q' }, limit: { type: 'integer', description: 'l', nullable: true } },
  output_type: 'string',
  forward: async ({ query, limit }) => `${query}:${limit ?? 'all'}`,
};

test('steps build on each other in a session with tools, and a timed-out step is followed by a new page', async () => {
  const executor = new SmolagentsExecutor({ executor: make({ isolation: 'session' }), tools: [search] });
  const step = async (code, state = {}) => {
    await executor.sendVariables(state);
    await executor.sendTools({}, {});
    return executor.run(code);
  };
  const first = await step(
    'const found = await search("a"); class Row { n = 1 } document.title = found; console.log(seed);',
    {
      seed: 7,
    },
  );
  expect(Object.keys(first).sort()).toStrictEqual(['artifacts', 'is_final_answer', 'logs', 'output']);
  expect(first.logs).toBe('7');
  const second = await step('[found, new Row().n, document.title, await search({ query: "b", limit: 2 })]');
  expect(second.output).toStrictEqual(['a:all', 1, 'a:all', 'b:2']);
  expect(await step('final_answer(found)')).toMatchObject({ output: 'a:all', is_final_answer: true });
  await expectCode(executor.run('for (;;);', { timeoutMs: 300 }), 'ERR_EXEC_TIMEOUT');
  expect(executor.state).toBe('DIRTY');
  expect((await step('[typeof found, await search("c")]')).output).toStrictEqual(['undefined', 'c:all']);
  const error = await expectCode(step('await search(1)'), 'ERR_TOOL_PROXY_FAIL');
  expect(error.message).toContain('search');
  expect(executor.state).toBe('READY');
  await executor.cleanup();
  expect(executor.state).toBe('DEAD');
});

test('isolation "run" is refused', () => {
  expect(() => new SmolagentsExecutor({ executor: make() })).toThrow(
    new TypeError("options.executor must keep the state of earlier runs: create it with isolation: 'session'"),
  );
});
