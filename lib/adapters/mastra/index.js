// @ts-check
'use strict';

const { requirePeer } = require('../../contract/peer-dependency');
const { standardSchema } = require('../../contract/standard-schema');
const codeTool = require('../code-tool');
const { WRONG_INPUT, isCodeInput } = require('../code-tool/code-input');
const { byName } = require('../code-tool/definition');
const { settingsOf } = require('../code-tool/settings');

/** How Mastra's message begins where it is the input that is wrong. */
const OF_INPUT = /^Tool input validation failed/;

/**
 * Makes a tool of Mastra by which a model calls other tools from code. Documented in `index.d.ts`.
 *
 * @param {import('./index').CodeToolOptions} options
 * @returns {any}
 */
function createCodeTool(options) {
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
    inputSchema: /** @type {any} */ (standardSchema('ses-executor', inputSchema, validateCode)),
    execute: async (/** @type {any} */ { code }, /** @type {any} */ toolContext) => {
      const { text: _, ...result } = await execute(code, {
        signal: toolContext?.abortSignal,
        context: { toolContext },
      });
      return result;
    },
  });
}

/** @throws {Error} if it is a version whose tools are called in another way */
function loadTools() {
  const { version } = require('@mastra/core/package.json');
  if (/^0\./.test(version)) {
    throw new Error(
      `ses-executor/mastra needs @mastra/core 1 or later, got ${version}; run: npm install @mastra/core@latest`,
    );
  }
  // @ts-expect-error: its declarations are those of an ES module, also where it is not
  return require('@mastra/core/tools');
}

/**
 * @param {any} tool a tool of Mastra, or what the neutral code tool takes
 * @returns {any}
 */
function definitionOf(tool) {
  if (typeof tool?.id !== 'string' || typeof tool.execute !== 'function') return tool;
  const { description, inputSchema, outputSchema, requireApproval } = tool;
  const contextOf = (/** @type {any} */ { signal, context }) => ({
    ...withoutSuspension(tool.id, context.toolContext),
    abortSignal: signal,
  });
  return {
    description,
    ...(inputSchema !== undefined && { inputSchema }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(requireApproval !== undefined && {
      needsApproval: (/** @type {unknown} */ _, /** @type {any} */ context) =>
        typeof requireApproval === 'function' ? requireApproval(context.input, contextOf(context)) : requireApproval,
    }),
    // The tool itself parses its input.
    execute: async (/** @type {unknown} */ _, /** @type {any} */ context) =>
      thrown(await tool.execute(context.input, contextOf(context))),
  };
}

/**
 * Where a tool is called from code nothing can wait for an answer that comes in another call of the agent: code would go on without it,
 * and run once more with it.
 *
 * @param {string} name
 * @param {any} toolContext
 */
function withoutSuspension(name, toolContext) {
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

/**
 * What a tool gives; what it finds wrong with its input or output, which it returns, is thrown.
 *
 * @param {any} result
 */
function thrown(result) {
  if (result?.error === true && typeof result.message === 'string' && 'validationErrors' in result) {
    const error = new Error(result.message);
    throw OF_INPUT.test(result.message) ? Object.assign(error, { name: 'InvalidToolInputError' }) : error;
  }
  return result;
}

/**
 * By what Mastra checks the tool's own input.
 *
 * @param {unknown} value
 */
function validateCode(value) {
  return isCodeInput(value) ? { value: { code: value.code } } : { issues: [{ message: WRONG_INPUT }] };
}

module.exports = { createCodeTool };
