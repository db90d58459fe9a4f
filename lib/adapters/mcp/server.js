// @ts-check
'use strict';

const { OUTPUT_SHAPE } = require('./output-shape');
const { callResult } = require('./result');
const { codeFrame } = require('../../ses/code-frame');
const { SESExecutor } = require('../../ses/executor');
const { preferredIsolation } = require('../../ses/isolation');
const { requirePeer } = require('../../contract/peer');
const { toJavaScriptSignature } = require('../prompts');
const { Session } = require('../../contract/session');
const { createFileTools, fileToolDefinitions } = require('../../files/index.js');
const { version } = require('../../../package.json');

const [{ McpServer }, { z }] = requirePeer('ses-executor mcp', '@modelcontextprotocol/sdk zod', () => [
  require('@modelcontextprotocol/sdk/server/mcp.js'),
  require('zod'),
]);

/**
 * @typedef {object} ServerOptions
 * @property {string} [root] folder that the file tools are confined to; without it there are none
 * @property {boolean} readOnly whether the file tools that change something are left out
 * @property {number} timeoutMs deadline of a run, and the most that a call may ask for
 * @property {number} memoryLimitMb
 * @property {number} maxOperations
 */

/**
 * A server of the Model Context Protocol with one session, and what ends that.
 *
 * @param {ServerOptions} options
 */
function createServer({ root, readOnly, ...limits }) {
  const tools = root === undefined ? {} : createFileTools({ root, readOnly });
  const session = new Session(new SESExecutor({ ...limits, isolation: preferredIsolation() }), {
    livesOn: true,
    codeFrame,
  });
  const server = new McpServer({ name: 'ses-executor', version }, { instructions: instructions(Object.keys(tools)) });
  server.registerTool(
    'run_javascript',
    {
      title: 'Run JavaScript',
      description: description(limits, declarationsOf(tools)),
      inputSchema: inputShape(limits.timeoutMs),
      outputSchema: OUTPUT_SHAPE,
      annotations: {
        readOnlyHint: root === undefined || readOnly,
        destructiveHint: root !== undefined && !readOnly,
        openWorldHint: false,
      },
    },
    async ({ code, timeoutMs, reset }, { signal }) =>
      callResult(await session.run(code, { tools, signal, timeoutMs, afresh: reset })),
  );
  server.registerTool(
    'reset',
    {
      title: 'Reset the session',
      description: 'Forgets all variables and functions that run_javascript has defined.',
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    async () => {
      await session.reset();
      return { content: [{ type: 'text', text: 'The session is empty.' }] };
    },
  );
  return { server, close: () => session.close() };
}

/** @param {number} timeoutMs */
function inputShape(timeoutMs) {
  return {
    code: z.string().describe('The program, in JavaScript or TypeScript'),
    timeoutMs: z.number().int().min(1).max(timeoutMs).optional().describe(`Deadline; default ${timeoutMs}`),
    reset: z.boolean().optional().describe('Whether to forget all variables first'),
  };
}

/**
 * @param {Omit<ServerOptions, 'root' | 'readOnly'>} limits
 * @param {string} declarations
 */
function description({ timeoutMs, memoryLimitMb, maxOperations }, declarations) {
  const text = `Runs JavaScript in an isolated V8 realm, and gives what the last expression or a top-level \`return\` \
gives, and what console.log has logged. \`await\` works at the top level. Variables and functions live on from call \
to call. There is no network, no timer, no import, no require and no process: only the language${
    declarations === '' ? '' : ' and the functions below'
  }. A run may take ${timeoutMs} ms, ${maxOperations} loop iterations and ${memoryLimitMb} MiB of memory.`;
  if (declarations === '') return text;
  return `${text} The text of a file is \`(await read({ path })).content[0].text\`.\n\n${declarations}`;
}

/** @param {string[]} names of file tools */
function instructions(names) {
  const use =
    'Use run_javascript to calculate, to transform data and to work through many steps in one program, instead of \
doing so by hand. State lives on between calls; reset clears it.';
  if (names.length === 0) return use;
  return `${use} Programs reach files through the functions ${names.join(', ')}, which the description of \
run_javascript declares; call them in loops and give back only what is needed.`;
}

/**
 * Declarations of functions that take one object, the form in which all arguments can be passed.
 *
 * @param {Record<string, unknown>} tools
 */
function declarationsOf(tools) {
  return fileToolDefinitions
    .filter(({ name }) => name in tools)
    .map(({ name, description, inputs, output_schema: outputSchema }) => {
      const required = Object.keys(inputs).filter((key) => inputs[key].nullable !== true);
      const inputSchema = { type: 'object', properties: inputs, required };
      return toJavaScriptSignature({ name, description, inputSchema, outputSchema });
    })
    .join('\n\n');
}

module.exports = { createServer };
