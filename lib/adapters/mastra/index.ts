import { requirePeer } from '../../contract/peer-dependency';
import { standardSchema } from '../../contract/standard-schema';
import codeTool = require('../code-tool');
import { WRONG_INPUT, isCodeInput } from '../code-tool/code-input';
import { byName } from '../code-tool/definition';
import { settingsOf } from '../code-tool/settings';
import type { CodeToolOptions } from './api';

/** Start of Mastra's message for invalid input. */
const OF_INPUT = /^Tool input validation failed/;

/** Creates a Mastra tool that lets a model call other tools from code. Documented in `api.d.ts`. */
export function createCodeTool(options: CodeToolOptions): any {
  const { tools, ...settings } = settingsOf(options);
  const { createTool } = requirePeer('ses-executor/mastra', '@mastra/core', loadTools);
  const definitions = Object.entries(byName(tools)).map(([name, it]) => [name, definitionOf(it)]);
  const { name, description, inputSchema, execute } = codeTool.createCodeTool({
    ...settings,
    tools: Object.fromEntries(definitions),
  });
  return createTool({
    id: name,
    description,
    inputSchema: standardSchema('ses-executor', inputSchema, validateCode) as any,
    execute: async ({ code }: any, toolContext: any) => {
      const { text: _, ...result } = await execute(code, {
        signal: toolContext?.abortSignal,
        context: { toolContext },
      });
      return result;
    },
  });
}

/** @throws {Error} for a version whose tools have a different call signature */
function loadTools() {
  const { version } = require('@mastra/core/package.json');
  if (/^0\./.test(version)) {
    throw new Error(
      `ses-executor/mastra needs @mastra/core 1 or later, got ${version}; run: npm install @mastra/core@latest`,
    );
  }
  return require('@mastra/core/tools');
}

/** @param tool a Mastra tool, or a definition that `ses-executor/code-tool` accepts */
function definitionOf(tool: any): any {
  if (typeof tool?.id !== 'string' || typeof tool.execute !== 'function') return tool;
  const { description, inputSchema, outputSchema, requireApproval } = tool;
  const contextOf = ({ signal, context }: any) => ({
    ...withoutSuspension(tool.id, context.toolContext),
    abortSignal: signal,
  });
  return {
    description,
    ...(inputSchema !== undefined && { inputSchema }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(requireApproval !== undefined && {
      needsApproval: (_: unknown, context: any) =>
        typeof requireApproval === 'function' ? requireApproval(context.input, contextOf(context)) : requireApproval,
    }),
    // The tool parses its input itself.
    execute: async (_: unknown, context: any) => thrown(await tool.execute(context.input, contextOf(context))),
  };
}

/**
 * Rejects suspension of a tool that code calls. The code cannot wait for an answer that arrives in another call of the
 * agent. It would continue without the answer, and run a second time with it.
 */
function withoutSuspension(name: string, toolContext: any) {
  const suspend = async () => {
    throw Object.assign(
      new Error(`${name} suspends the agent, which it cannot do when code calls it: call the tool itself instead`),
      { name: 'SuspendError' },
    );
  };
  const { agent, workflow } = Object(toolContext);
  const refused = { suspend, resumeData: undefined, suspendPayload: undefined };
  return {
    ...toolContext,
    ...refused,
    ...(agent && { agent: { ...agent, ...refused } }),
    ...(workflow && { workflow: { ...workflow, ...refused } }),
  };
}

/** Returns the result of a tool. Validation errors, which Mastra returns as a result, are thrown. */
function thrown(result: any) {
  if (result?.error === true && typeof result.message === 'string' && 'validationErrors' in result) {
    const error = new Error(result.message);
    throw OF_INPUT.test(result.message) ? Object.assign(error, { name: 'InvalidToolInputError' }) : error;
  }
  return result;
}

/** Validates the tool's own input for Mastra. */
function validateCode(value: unknown) {
  return isCodeInput(value) ? { value: { code: value.code } } : { issues: [{ message: WRONG_INPUT }] };
}
