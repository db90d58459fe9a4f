// @ts-check
'use strict';

const { OUTPUT_SHAPE } = require('./output-shape');
const { callResult } = require('./result');
const { z } = require('../../bundled/mcp');

/**
 * Adds the tool that runs programs of a language in a session.
 *
 * @param {any} server
 * @param {import('./toolset').Toolset} toolset
 * @param {import('../../contract/session').Session} session
 * @param {object} tool
 * @param {import('../code-tool/language').LanguageText} tool.language
 * @param {string} tool.description
 * @param {number} [tool.timeoutMs] default of a call, and the most that it may ask for; absent, the executor has its own
 * @param {object} tool.annotations
 */
function registerRun(server, toolset, session, { language, description, timeoutMs, annotations }) {
  const { toolName, title, program } = language;
  const inputSchema = inputShape(program, timeoutMs);
  server.registerTool(
    toolName,
    { title, description, inputSchema, outputSchema: OUTPUT_SHAPE, annotations },
    async (/** @type {any} */ { code, timeoutMs: deadline, reset }, /** @type {any} */ { signal }) => {
      const run = toolset.forRun(signal, language);
      try {
        return callResult(await session.run(code, { tools: run.tools, signal, timeoutMs: deadline, afresh: reset }));
      } finally {
        run.end();
      }
    },
  );
}

/**
 * @param {string} program
 * @param {number} [timeoutMs]
 */
function inputShape(program, timeoutMs) {
  const deadline = z.number().int().min(1);
  return {
    code: z.string().describe(`The program, in ${program}`),
    timeoutMs:
      timeoutMs === undefined
        ? deadline.optional().describe('Deadline in milliseconds')
        : deadline.max(timeoutMs).optional().describe(`Deadline; default ${timeoutMs}`),
    reset: z.boolean().optional().describe('Whether to forget all variables first'),
  };
}

/**
 * What a description says of the limits of a run, with a space in front; nothing of those of an executor that has its own.
 *
 * @param {import('../code-tool/language').LanguageText} language
 * @param {{ timeoutMs?: number, memoryLimitMb?: number, maxOperations?: number }} limits
 */
function limitsText({ operations }, { timeoutMs, memoryLimitMb, maxOperations }) {
  if (timeoutMs === undefined) return '';
  return ` A run may take ${timeoutMs} ms, ${maxOperations} ${operations} and ${memoryLimitMb} MiB of memory.`;
}

module.exports = { limitsText, registerRun };
