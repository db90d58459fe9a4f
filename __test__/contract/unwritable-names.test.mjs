// One rule for names that code cannot write: executors refuse them, and code tools rename them.

import { describe, expect, test } from 'vitest';

import { SESExecutor } from 'ses-executor';
import { createCodeTool } from 'ses-executor/code-tool';
import { createMcpServer } from 'ses-executor/mcp';
import { PyodideExecutor } from 'ses-executor/python';
import { SmolagentsExecutor } from 'ses-executor/smolagents';

import { rejection } from '../helpers.mjs';

const message = (root, name, example, reason) =>
  `${root}${/^[a-z_$][\w$]*$/i.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`} must have another name${example}: ${reason}`;
const CASES = [
  ['my-tool', ', for instance my_tool', 'code cannot use the name "my-tool"'],
  ['', '', 'code cannot use the name ""'],
  ['class', ', for instance class_', 'code cannot use the name "class"'],
  ['Array', ', for instance Array_', '`Array` is a global of the language'],
  ['2nd', ', for instance _2nd', 'code cannot use the name "2nd"'],
  ['a b', ', for instance a_b', 'code cannot use the name "a b"'],
  ['await', ', for instance await_', 'code cannot use the name "await"'],
  ['Promise', ', for instance Promise_', '`Promise` is a global of the language'],
];

test.each(CASES)('executors refuse %j', async (name, example, reason) => {
  const executor = new SESExecutor({ autoInit: true });
  const tools = await rejection(executor.sendTools({ [name]: () => 1 }));
  expect(tools).toStrictEqual(new TypeError(message('tools', name, example, reason)));
  const variables = await rejection(executor.sendVariables({ [name]: 1 }));
  expect(variables).toStrictEqual(new TypeError(message('variables', name, example, reason)));
  expect(executor.state).toBe('NEW');
});

test.each(CASES)('executors of agents refuse %j', async (name, example, reason) => {
  const tool = { name, inputs: {}, forward: () => 1 };
  const error = new TypeError(message('tools', name, example, reason));
  expect(() => new SmolagentsExecutor({ tools: { [name]: tool } })).toThrow(error);
  if (name !== '') expect(() => new SmolagentsExecutor({ tools: [tool] })).toThrow(error);
  expect(await rejection(new SmolagentsExecutor().sendTools({ [name]: tool }))).toStrictEqual(error);
  const refused = await rejection(createMcpServer({ variables: { [name]: 1 } }));
  expect(refused).toStrictEqual(new TypeError(message('variables', name, example, reason)));
});

test.each([
  ['my-tool', ', for instance my_tool', 'code cannot use the name "my-tool"'],
  ['lambda', ', for instance lambda_', 'code cannot use the name "lambda"'],
  ['', '', 'code cannot use the name ""'],
])('executors of Python refuse %j', async (name, example, reason) => {
  const executor = new PyodideExecutor();
  const error = await rejection(executor.sendVariables({ [name]: 1 }));
  expect(error).toStrictEqual(new TypeError(message('variables', name, example, reason)));
});

test('names that code can write are accepted', async () => {
  const executor = new SESExecutor({ autoInit: true });
  await executor.sendTools({ $: () => 1, délai: () => 2, fetch: () => 3, get: () => 4 });
  expect((await executor.run('[$(), délai(), fetch(), get()]')).output).toStrictEqual([1, 2, 3, 4]);
  await executor.cleanup();
});

describe('code tools rename tools', () => {
  test.each([
    ['my-tool', 'my_tool'],
    ['class', 'class_'],
    ['Array', 'Array_'],
    ['2nd', '_2nd'],
  ])('%j to %s', async (name, written) => {
    const { description, execute } = createCodeTool({ tools: { [name]: async () => 7 } });
    expect(description).toContain(`async function ${written}(...args) {}`);
    expect((await execute(`await ${written}()`)).output).toBe(7);
  });
});
