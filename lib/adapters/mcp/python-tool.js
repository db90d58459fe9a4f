// @ts-check
'use strict';

const { OUTPUT_SHAPE } = require('./output-shape');
const { callResult } = require('./result');
const { languageText } = require('../code-tool/language');
const { z } = require('../../bundled/mcp');
const { Session } = require('../../contract/session');
const { BASE_BUILTIN_MODULES, PyodideExecutor } = require('../../python');
const { codeFrame } = require('../../ses/code-frame');
const { preferredIsolation } = require('../../ses/isolation');

/**
 * Adds the tool `run_python`, with a session of its own.
 *
 * @param {any} server
 * @param {import('./toolset').Toolset} toolset
 * @param {object} options
 * @param {number} [options.timeoutMs]
 * @param {number} [options.toolTimeoutMs]
 * @param {number} [options.memoryLimitMb]
 * @param {string[]} [options.authorizedImports]
 * @param {string} [options.packages]
 * @param {Record<string, unknown>} [options.variables]
 * @param {object} options.annotations
 * @returns {Session}
 */
function registerPython(
  server,
  toolset,
  { timeoutMs, toolTimeoutMs, memoryLimitMb, authorizedImports = [], ...others },
) {
  const { packages, variables, annotations } = others;
  const language = languageText('python');
  const limits = { timeoutMs, toolTimeoutMs, memoryLimitMb, isolation: preferredIsolation() };
  const imports = [...BASE_BUILTIN_MODULES, ...authorizedImports];
  const executor = new PyodideExecutor(imports, { ...limits, mount: false, packages });
  const session = new Session(executor, { livesOn: true, codeFrame, variables });
  server.registerTool(
    'run_python',
    {
      title: 'Run Python',
      description: language.description(toolset.declarationsIn(language), true, {
        imports,
        variables: Object.keys(variables ?? {}),
      }),
      inputSchema: {
        code: z.string().describe('The program, in Python'),
        timeoutMs: z
          .number()
          .int()
          .min(1)
          .max(timeoutMs ?? Infinity)
          .optional()
          .describe('Deadline in milliseconds'),
        reset: z.boolean().optional().describe('Whether to forget all variables first'),
      },
      outputSchema: OUTPUT_SHAPE,
      annotations,
    },
    async (/** @type {any} */ { code, timeoutMs: deadline, reset }, /** @type {any} */ { signal }) => {
      const run = toolset.forRun(signal, language);
      try {
        return callResult(await session.run(code, { tools: run.tools, signal, timeoutMs: deadline, afresh: reset }));
      } finally {
        run.end();
      }
    },
  );
  return session;
}

module.exports = { registerPython };
