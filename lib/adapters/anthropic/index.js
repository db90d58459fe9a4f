// @ts-check
'use strict';

const { isPlainObject } = require('../../contract/describe');
const { isStandardSchema, standardSchema } = require('../../contract/standard-schema');
const codeTool = require('../code-tool');
const { WRONG_INPUT, isCodeInput } = require('../code-tool/code-input');
const { byName } = require('../code-tool/definition');
const { settingsOf } = require('../code-tool/settings');

/**
 * Makes a tool for the tool runner of Anthropic's SDK by which a model calls other tools from code. Documented in `index.d.ts`.
 *
 * @param {import('./index').CodeToolOptions} options
 * @returns {any}
 */
function createCodeTool(options) {
  const { tools, ...settings } = settingsOf(options);
  const definitions = Object.entries(byName(tools)).map(([name, it]) => [name, definitionOf(it)]);
  const { name, description, inputSchema, execute } = codeTool.createCodeTool({
    ...settings,
    tools: Object.fromEntries(definitions),
  });
  return {
    type: 'custom',
    name,
    description,
    input_schema: inputSchema,
    parse: (/** @type {unknown} */ content) => content,
    run: async (/** @type {unknown} */ input, /** @type {any} */ toolContext) => {
      if (!isCodeInput(input)) throw new TypeError(WRONG_INPUT);
      const result = await execute(input.code, { signal: toolContext?.signal ?? undefined, context: { toolContext } });
      // The runner marks what is thrown as an error.
      if ('error' in result) throw new Error(result.text);
      return result.text;
    },
  };
}

/**
 * @param {any} tool a runnable tool, or what the neutral code tool takes
 * @returns {any}
 */
function definitionOf(tool) {
  if (typeof tool?.run !== 'function' || !isPlainObject(tool.input_schema)) return tool;
  const { description, input_schema: inputSchema, parse } = tool;
  return {
    description,
    inputSchema: isStandardSchema(inputSchema) || parse === undefined ? inputSchema : unchecked(inputSchema),
    execute: async (/** @type {unknown} */ value, /** @type {any} */ { input, signal, context }) =>
      textOf(await tool.run(parse === undefined ? value : parse(input), { ...context.toolContext, signal })),
  };
}

/**
 * What the `parse` of a tool takes and changes, its schema need not say.
 *
 * @param {object} inputSchema
 */
function unchecked(inputSchema) {
  return standardSchema('anthropic', inputSchema, (value) => ({ value }));
}

/**
 * Blocks that are nothing but text are text.
 *
 * @param {any} result
 */
function textOf(result) {
  const isText = Array.isArray(result) && result.length > 0 && result.every((block) => block?.type === 'text');
  return isText ? result.map(({ text }) => text).join('\n') : result;
}

module.exports = { createCodeTool };
