// Tools of smolagents as functions of guest code: `toHostTools` of `ses-executor/smolagents`.

import { describe, expect, test } from 'vitest';

import { toHostTools } from 'ses-executor/smolagents';

import { SearchTool, create } from './smolagents-fixtures.mjs';
import { expectCode } from '../helpers.mjs';

describe('toHostTools', () => {
  /** What `forward` of a tool with these inputs gets when guest code calls it so; or the error's message. */
  async function called(inputs, code) {
    const executor = create();
    const tool = { name: 'tool', inputs, forward: async (args) => ({ args }) };
    await executor.sendTools([tool]);
    try {
      return (await executor.run(`(await tool(${code})).args`)).output;
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_TOOL_PROXY_FAIL', details: { tool: 'tool', name: 'TypeError' } });
      return error.details.message;
    }
  }

  const search = new SearchTool().inputs;
  const takes = 'it takes (query, max_results, engine) or one object ({ query, max_results, engine })';
  test.each([
    ["'x', 3, 'fast'", { query: 'x', max_results: 3, engine: 'fast' }],
    ["'x'", { query: 'x', max_results: 2, engine: null }],
    ["'x', undefined, null", { query: 'x', max_results: 2, engine: null }],
    ["{ query: 'x', max_results: 3, engine: 'slow' }", { query: 'x', max_results: 3, engine: 'slow' }],
    ["{ engine: 'slow', query: 'x' }", { query: 'x', max_results: 2, engine: 'slow' }],
    ["{ query: 'x', max_results: undefined }", { query: 'x', max_results: 2, engine: null }],
    ['', 'tool needs the argument "query", a string: What to look for'],
    ['{}', 'tool needs the argument "query", a string: What to look for'],
    ["undefined, 3", 'tool needs the argument "query", a string: What to look for'],
    ["{ query: 'x', limit: 3 }", `tool has no argument "limit"; ${takes}`],
    ["'x', 3, 'fast', 4", `tool was called with 4 arguments; ${takes}`],
    ["'x', '3'", 'tool: the argument max_results must be an integer, got "3"'],
    ["'x', 1.5", 'tool: the argument max_results must be an integer, got 1.5'],
    ["'x', null", 'tool: the argument max_results must be an integer, got null'],
    ["'x', 3, 'other'", 'tool: the argument engine must be "fast" or "slow" or null, got "other"'],
    ["['x']", 'tool: the argument query must be a string, got an array'],
    ['new Map()', `tool: the argument query must be a string, got an object`],
    ["'x', { max_results: 3 }", 'tool: the argument max_results must be an integer, got an object'],
  ])('tool(%s)', async (code, expected) => {
    expect(await called(search, code)).toStrictEqual(expected);
  }); // prettier-ignore

  const record = { record: { type: 'object', description: 'What to save' } };
  const options = { options: { type: 'object', nullable: true }, name: { type: 'string', default: 'n' } };
  const value = { value: { anyOf: [{ type: 'string' }, { type: 'object' }] } };
  test.each([
    [record, '{ a: 1 }', { record: { a: 1 } }],
    [record, '{ record: { a: 1 } }', { record: { a: 1 } }],
    [record, '{ record: 5 }', 'tool: the argument record must be an object, got 5'],
    [record, '{}', { record: {} }],
    [record, '{ record: {}, a: 1 }', { record: { record: {}, a: 1 } }],
    [record, '[1]', 'tool: the argument record must be an object, got an array'],
    [options, "{ name: 'x' }", { options: null, name: 'x' }],
    [options, "{ a: 1 }", { options: { a: 1 }, name: 'n' }],
    [options, '{}', { options: {}, name: 'n' }],
    [options, '', { options: null, name: 'n' }],
    [value, "{ value: 'x' }", { value: 'x' }],
    [value, '{ x: 1 }', { value: { x: 1 } }],
    [value, '5', 'tool: the argument value must be a string or an object, got 5'],
    [{ value: {} }, '{ value: 1 }', { value: 1 }],
    [{ value: {} }, '{ x: 1 }', { value: { x: 1 } }],
    [{ value: { type: 'any' } }, 'null', { value: null }],
  ])('the first input may be one object: %j, tool(%s)', async (inputs, code, expected) => {
    expect(await called(inputs, code)).toStrictEqual(expected);
  }); // prettier-ignore

  test.each([
    [{ tags: { type: 'array', items: { type: 'string' } } }, "['a', 5]", 'tool: the argument tags[1] must be a string, got 5'],
    [{ on: { type: 'object', properties: { a: { type: 'boolean' } } } }, '{ on: {} }', 'tool: the argument on.a must be a boolean, got undefined'],
    [{ on: { type: 'object', properties: { a: { type: 'boolean', nullable: true } } } }, '{ on: {} }', { on: {} }],
    [{ on: { type: 'object', properties: { a: {} }, required: [] } }, '{ on: {} }', { on: {} }],
    [{ n: { type: ['number', 'null'] } }, "'1'", 'tool: the argument n must be a number or null, got "1"'],
    [{ n: { type: ['number', 'null'] } }, 'null', { n: null }],
    [{ image: { type: 'image' } }, 'new Uint8Array([1])', { image: new Uint8Array([1]) }],
    [{ image: { type: 'image' } }, 'null', 'tool: the argument image must be an image, got null'],
    [{}, '', {}],
    [{}, '1', 'tool was called with 1 arguments; it takes none'],
  ])('types inside an argument are checked: %j, tool(%s)', async (inputs, code, expected) => {
    expect(await called(inputs, code)).toStrictEqual(expected);
  }); // prettier-ignore

  test('inherited members of objects are not members of an argument', async () => {
    const properties = { toString: { type: 'string' }, constructor: { type: 'string', nullable: true } };
    const inputs = { options: { type: 'object', properties, required: [] } };
    expect(await called(inputs, '{ options: {} }')).toStrictEqual({ options: {} });
  });

  test('defaults are copied for each call', async () => {
    const seen = [];
    const inputs = { list: { type: 'array', default: [] } };
    const { tool } = toHostTools([{ name: 'tool', inputs, forward: ({ list }) => seen.push(list.push(1)) }]);
    await tool();
    await tool();
    expect(seen).toStrictEqual([1, 1]);
    expect(inputs.list.default).toStrictEqual([]);
  });

  test('functions have the name and the number of inputs of their tool, and are called on it', async () => {
    const tool = new SearchTool();
    const { search: fn } = toHostTools([tool]);
    expect({ name: fn.name, length: fn.length }).toStrictEqual({ name: 'search', length: 3 });
    expect(await fn('x', 1)).toStrictEqual(['xa']);
    expect(tool.calls).toHaveLength(1);
  });

  test('lists, maps, records and namespaces of tools are accepted', async () => {
    const tool = new SearchTool();
    const plain = () => 5;
    expect(Object.keys(toHostTools([tool, { ...tool, name: 'other', forward: tool.forward }]))).toStrictEqual([
      'search',
      'other',
    ]);
    expect(Object.keys(toHostTools(new Map([['find', tool]])))).toStrictEqual(['find']);
    const record = toHostTools({ plain, Host: { deep: { find: tool } } });
    expect(record.plain).toBe(plain);
    expect(await record.Host.deep.find('x', 1)).toStrictEqual(['xa']);
    const read = {
      name: 'Host.readDoc',
      inputs: { path: { type: 'string' } },
      forward: ({ path }) => `text of ${path}`,
    };
    const executor = create({ tools: [read, { ...read, name: 'Host.list' }] });
    const { output } = await executor.run("[await Host.readDoc('a'), await Host.list({ path: 'b' })]");
    expect(output).toStrictEqual(['text of a', 'text of b']);
  });

  test('a tool that needs approval is refused, because nobody would be asked', () => {
    const tool = { name: 'pay', inputs: {}, forward: () => 1, needsApproval: true };
    expect(() => toHostTools([tool])).toThrow(
      new TypeError('tools[0] has needsApproval, which would be ignored: use the option onToolCall'),
    );
  });

  test('managed agents are called with a different task each time', async () => {
    const runs = [];
    const researcher = {
      name: 'researcher',
      description: 'Reads.',
      run: async (...args) => `did ${runs.push(args)}`,
      forward: () => 'no',
    };
    const executor = create({ tools: [researcher] });
    const code =
      "[await researcher('Read.'), await researcher('Read.', { a: 1 }), await researcher({ task: 'T', additional_args: { b: 2 } })]";
    expect((await executor.run(code)).output).toStrictEqual(['did 1', 'did 2', 'did 3']);
    expect(runs).toStrictEqual([
      ['Read.', { additional_args: undefined, reset: true }],
      ['Read.', { additional_args: { a: 1 }, reset: true }],
      ['T', { additional_args: { b: 2 }, reset: true }],
    ]);
    const error = await expectCode(executor.run('await researcher(5)'), 'ERR_TOOL_PROXY_FAIL');
    expect(error.details.message).toBe('researcher: the argument task must be a string, got 5');
  });

  const forward = () => {};
  const types = 'string, boolean, number, integer, array, list, object, dict, null, any, image, audio';
  test.each([
    [5, 'tools must be an array, a map or an object of tools by name, got 5'],
    [[() => 1, null], 'tools[1].name must be a non-empty string, got undefined'],
    [[{ name: 'f' }], 'tools[0] must be a Tool with inputs and forward(args), an agent with run(task), or a function, got an object'],
    [[class Search {}], 'tools[0] is a class: pass an instance of it, made with `new`'],
    [{ f: 5 }, 'tools.f must be a Tool with inputs and forward(args), an agent with run(task), or a function, got 5'],
    [{ a: { 'b-c': null } }, 'tools.a["b-c"] must be a Tool with inputs and forward(args), an agent with run(task), or a function, got null'],
    [[{ name: 'f', inputs: [], forward }], 'tools[0].inputs must be an object of inputs by name, got an array'],
    [[{ name: 'f', inputs: { a: 'string' }, forward }], 'tools[0].inputs.a must be an object with a type, got "string"'],
    [[{ name: 'f', inputs: { a: { type: 'str' } }, forward }], `tools[0].inputs.a.type must be one of ${types}, got "str"`],
    [[{ name: 'f', inputs: {}, forward }, { name: 'f', inputs: {}, forward }], 'tools[1] has a name that another tool has: f'],
    [[{ name: 'f', inputs: {}, forward }, { name: 'f.g', inputs: {}, forward }], 'tools[1] is in a namespace that is a tool itself: f'],
  ])('refuses %j', (tools, message) => {
    if (Array.isArray(tools) && typeof tools[0] === 'function') Object.defineProperty(tools[0], 'name', { value: 'f' });
    expect(() => toHostTools(tools)).toThrow(new TypeError(message));
  }); // prettier-ignore
});
