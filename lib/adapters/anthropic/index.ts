/**
 * `ses-executor/anthropic`: a tool that lets a model call other tools from code, for the tool runner of Anthropic's SDK
 * (`@anthropic-ai/sdk`).
 *
 * @packageDocumentation
 */

import { needsApproval, refuseOtherMarks } from '../../contract/approval-marks';
import { describe, isPlainObject } from '../../contract/describe';
import { isStandardSchema, standardSchema } from '../../contract/standard-schema';
import codeTool = require('../code-tool');
import { WRONG_INPUT, isCodeInput } from '../code-tool/code-input';
import { partsOfResult, succeeded } from '../code-tool/code-tool-error';
import { byName } from '../code-tool/definition';
import { executorIn, settingsOf } from '../code-tool/settings';
import type { Foreign } from '../../contract/foreign';
import type { ContentParts } from '../../contract/content';
import type { BetaToolResultContentBlockParam } from '@anthropic-ai/sdk/resources/beta';
import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import type { ApprovableTool, CallOptions, CodeTools, CodeToolSettings } from '../code-tool/types';

/** Options of {@link createCodeTool}. */
export interface CodeToolOptions extends CodeToolSettings {
  /**
   * The tools that code can call as `await name(input)`. A name that is not an identifier is changed: `list-files`
   * becomes `list_files`.
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tools declare their inputs
  tools: readonly (BetaRunnableTool<any> & ApprovableTool)[] | CodeTools;
  /**
   * With a `DurableSession` as `executor`: returns answers to calls that the program waits for, by their keys, when the
   * model sends the same code again. If it returns `undefined`, the program goes on waiting.
   */
  answer?: CallOptions['answer'];
}

/**
 * Creates a tool that takes JavaScript in which the other tools are functions, for the tool runner of Anthropic's SDK
 * (`@anthropic-ai/sdk`). Failures of the code are tool results with `is_error`. Images and PDF files that the code
 * shows are blocks of the tool result.
 *
 * Tools with `needsApproval` fail in code without `approve`. With a `DurableSession` as `executor`, the program waits
 * instead, and the tool result tells the model to send the same code again when somebody has answered: see {@link
 * CodeToolOptions.answer}.
 *
 * @throws as `createCodeTool` of `ses-executor/code-tool`
 *
 * @example
 * ```js
 * const code = createCodeTool({ tools: [getWeather] });
 * const message = await client.beta.messages.toolRunner({ model, max_tokens: 4096, messages, tools: [code] });
 * ```
 */
export function createCodeTool(options: CodeToolOptions): BetaRunnableTool<{ code: string }> {
  const { tools, executor, answer, ...settings }: Foreign = settingsOf(options);
  if (answer !== undefined && typeof answer !== 'function') {
    throw new TypeError(`options.answer must be a function, got ${describe(answer)}`);
  }
  const definitions = Object.entries(byName(tools)).map(([name, it]) => [name, definitionOf(it)]);
  const { name, description, inputSchema, execute } = codeTool.createCodeTool({
    ...settings,
    executor: executorIn(executor, ({ toolContext }) => toolContext),
    tools: Object.fromEntries(definitions),
  });
  return {
    type: 'custom',
    name,
    description,
    input_schema: inputSchema,
    parse: (content) => content as { code: string },
    run: async (input: unknown, toolContext: Foreign) => {
      if (!isCodeInput(input)) throw new TypeError(WRONG_INPUT);
      const result = await execute(input.code, {
        signal: toolContext?.signal ?? undefined,
        context: { toolContext },
        answer,
      });
      // The runner converts a thrown error to a tool result with `is_error`.
      return partsOfResult(succeeded(result), PARTS);
    },
  };
}

const PARTS: ContentParts<BetaToolResultContentBlockParam> = {
  text: (text) => ({ type: 'text', text }),
  image: ({ data, mimeType }) => ({
    type: 'image',
    source: { type: 'base64', data, media_type: mimeType as 'image/png' },
  }),
  pdf: ({ data, name }) => ({
    type: 'document',
    title: name,
    source: { type: 'base64', data, media_type: 'application/pdf' },
  }),
};

const MARKS = ['needsApproval'];

/** @param tool a runnable tool, or a definition that `ses-executor/code-tool` accepts */
function definitionOf(tool: Foreign): Foreign {
  if (typeof tool?.run !== 'function' || !isPlainObject(tool.input_schema)) return tool;
  refuseOtherMarks(`the tool ${tool.name}`, tool, MARKS);
  const { description, input_schema: inputSchema, parse } = tool;
  const parsed = (value: unknown, { input }: Foreign) => (parse === undefined ? value : parse(input));
  const contextOf = ({ input, signal, toolCallId, context }: Foreign) => {
    const toolUse = { type: 'tool_use', id: toolCallId, name: tool.name, input };
    return { ...context.toolContext, toolUse, toolUseBlock: toolUse, signal };
  };
  return {
    description,
    inputSchema: isStandardSchema(inputSchema) || parse === undefined ? inputSchema : unchecked(inputSchema),
    needsApproval: (value: unknown, context: Foreign) =>
      needsApproval(tool, MARKS, () => [parsed(value, context), contextOf(context)]),
    execute: async (value: unknown, context: Foreign) =>
      textOf(await tool.run(parsed(value, context), contextOf(context))),
  };
}

/** A schema without checks: `parse` of a tool may accept and change input that its schema does not describe. */
function unchecked(inputSchema: object) {
  return standardSchema('anthropic', inputSchema, (value) => ({ value }));
}

/** A list of text blocks becomes a string. */
function textOf(result: Foreign) {
  const isText = Array.isArray(result) && result.length > 0 && result.every((block) => block?.type === 'text');
  return isText ? result.map(({ text }) => text).join('\n') : result;
}
