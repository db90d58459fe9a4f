import { isPlainObject } from '../../contract/describe';
import { isStandardSchema, standardSchema } from '../../contract/standard-schema';
import codeTool = require('../code-tool');
import { WRONG_INPUT, isCodeInput } from '../code-tool/code-input';
import { byName } from '../code-tool/definition';
import { settingsOf } from '../code-tool/settings';
import type { CodeToolOptions } from './api';

/**
 * Creates a tool for the tool runner of Anthropic's SDK that lets a model call other tools from code. Documented in
 * `api.d.ts`.
 */
export function createCodeTool(options: CodeToolOptions): any {
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
    parse: (content: unknown) => content,
    run: async (input: unknown, toolContext: any) => {
      if (!isCodeInput(input)) throw new TypeError(WRONG_INPUT);
      const result = await execute(input.code, { signal: toolContext?.signal ?? undefined, context: { toolContext } });
      // The runner converts a thrown error to a tool result with `is_error`.
      if ('error' in result) throw new Error(result.text);
      return result.text;
    },
  };
}

/** @param tool a runnable tool, or a definition that `ses-executor/code-tool` accepts */
function definitionOf(tool: any): any {
  if (typeof tool?.run !== 'function' || !isPlainObject(tool.input_schema)) return tool;
  const { description, input_schema: inputSchema, parse } = tool;
  return {
    description,
    inputSchema: isStandardSchema(inputSchema) || parse === undefined ? inputSchema : unchecked(inputSchema),
    execute: async (value: unknown, { input, signal, context }: any) =>
      textOf(await tool.run(parse === undefined ? value : parse(input), { ...context.toolContext, signal })),
  };
}

/** A schema without checks: `parse` of a tool may accept and change input that its schema does not describe. */
function unchecked(inputSchema: object) {
  return standardSchema('anthropic', inputSchema, (value) => ({ value }));
}

/** A list of text blocks becomes a string. */
function textOf(result: any) {
  const isText = Array.isArray(result) && result.length > 0 && result.every((block) => block?.type === 'text');
  return isText ? result.map(({ text }) => text).join('\n') : result;
}
