// @ts-check
'use strict';

const { OUTPUT_SHAPE } = require('./output-shape');
const { registerPython } = require('./python-tool');
const { callResult } = require('./result');
const { codeFrame } = require('../../ses/code-frame');
const { SESExecutor } = require('../../ses/executor');
const { preferredIsolation } = require('../../ses/isolation');
const { languageText } = require('../code-tool/language');
const { McpServer, z } = require('../../bundled/mcp');
const { offerOf } = require('../../contract/executor');
const { Session } = require('../../contract/session');
const { refuseReservedName } = require('../../contract/tool-registry');
const { toolsetOf } = require('./tools');
const { version } = require('../../../package.json');

/**
 * @typedef {object} ServerOptions
 * @property {string} [root] folder that the file tools are confined to; without it there are none
 * @property {boolean} [readOnly] whether the file tools that change something are left out
 * @property {Record<string, any>} [tools] functions, namespaces and tools with schemas
 * @property {import('./servers').ConnectedServer[]} [servers] others, whose tools code can call
 * @property {Record<string, unknown>} [variables] of each session
 * @property {boolean} [python] whether there is `run_python` as well
 * @property {string} [packages] folder of packages that it may import
 * @property {import('../../../index').Executor} [executor] where code runs; default: one of its own, with the options that follow
 * @property {number} [timeoutMs] deadline of a run, and the most that a call may ask for
 * @property {number} [toolTimeoutMs] time of a call of a tool, which does not count against the deadline then
 * @property {number} [memoryLimitMb]
 * @property {number} [maxOperations]
 * @property {string[]} [authorizedImports]
 * @property {import('../../../index').Modules} [modules]
 */

/**
 * A server of the Model Context Protocol with one session, and what ends that.
 *
 * @param {ServerOptions} options
 */
function createServer({ root, readOnly = false, tools = {}, servers = [], variables, ...others }) {
  const { python, packages, executor, ...options } = others;
  const { toolset, files } = toolsetOf({ root, readOnly, tools, servers });
  for (const name of Object.keys(variables ?? {})) refuseReservedName(name, 'variables');
  const session = new Session(executor ?? new SESExecutor({ isolation: preferredIsolation(), ...options }), {
    livesOn: true,
    codeFrame,
    variables,
  });
  // What an executor was sent is gone when it is reset.
  const { imports } = executor === undefined ? { imports: options.authorizedImports ?? [] } : offerOf(executor);
  const offer = { imports, variables: Object.keys(variables ?? {}) };
  const server = new McpServer(
    { name: 'ses-executor', version },
    { instructions: instructions(files, toolset.isEmpty) },
  );
  // What the tools of others do nobody knows.
  const isOpen = Object.keys(tools).length > 0 || servers.length > 0;
  const annotations = {
    readOnlyHint: !isOpen && (root === undefined || readOnly),
    destructiveHint: isOpen || (root !== undefined && !readOnly),
    openWorldHint: isOpen,
  };
  server.registerTool(
    'run_javascript',
    {
      title: 'Run JavaScript',
      description: description(options, toolset, { offer, hasFiles: root !== undefined }),
      inputSchema: inputShape(options.timeoutMs),
      outputSchema: OUTPUT_SHAPE,
      annotations,
    },
    async ({ code, timeoutMs, reset }, { signal }) => {
      const run = toolset.forRun(signal);
      try {
        return callResult(await session.run(code, { tools: run.tools, signal, timeoutMs, afresh: reset }));
      } finally {
        run.end();
      }
    },
  );
  const sessions = python
    ? [session, registerPython(server, toolset, { ...options, packages, variables, annotations })]
    : [session];
  server.registerTool(
    'reset',
    {
      title: 'Reset the session',
      description: `Forgets all variables and functions that ${python ? 'programs have' : 'run_javascript has'} defined.`,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    async () => {
      await Promise.all(sessions.map((it) => it.reset()));
      return { content: [{ type: 'text', text: 'The session is empty.' }] };
    },
  );
  return { server, close: () => Promise.all(sessions.map((it) => it.close())) };
}

/** @param {number} [timeoutMs] */
function inputShape(timeoutMs) {
  const deadline = z.number().int().min(1);
  return {
    code: z.string().describe('The program, in JavaScript or TypeScript'),
    timeoutMs:
      timeoutMs === undefined
        ? deadline.optional().describe('Deadline in milliseconds')
        : deadline.max(timeoutMs).optional().describe(`Deadline; default ${timeoutMs}`),
    reset: z.boolean().optional().describe('Whether to forget all variables first'),
  };
}

/**
 * @param {Pick<ServerOptions, 'timeoutMs' | 'memoryLimitMb' | 'maxOperations'>} limits
 * @param {import('./toolset').Toolset} toolset
 * @param {{ offer: import('../../contract/executor').Offer, hasFiles: boolean }} more
 */
function description(limits, { isEmpty, declarations }, { offer, hasFiles }) {
  const text = `Runs JavaScript in an isolated V8 realm, and gives what the last expression or a top-level \`return\` \
gives, and what console.log has logged. \`await\` works at the top level. Variables and functions live on from call \
to call.${languageText().surroundings(offer, !isEmpty)}${limitsText(limits)}`;
  if (isEmpty) return text;
  const files = hasFiles ? ' The text of a file is `await readText({ path })`.' : '';
  return `${text}${files}\n\n${declarations}`;
}

/**
 * @param {Pick<ServerOptions, 'timeoutMs' | 'memoryLimitMb' | 'maxOperations'>} limits none of an executor that has its own
 */
function limitsText({ timeoutMs, memoryLimitMb, maxOperations }) {
  if (timeoutMs === undefined) return '';
  return ` A run may take ${timeoutMs} ms, ${maxOperations} loop iterations and ${memoryLimitMb} MiB of memory.`;
}

/**
 * @param {string[]} files names of file tools
 * @param {boolean} isAlone whether code can call nothing
 */
function instructions(files, isAlone) {
  const use =
    'Use run_javascript to calculate, to transform data and to work through many steps in one program, instead of \
doing so by hand. State lives on between calls; reset clears it.';
  if (isAlone) return use;
  if (files.length === 0) {
    return `${use} Programs can call the functions that the description of run_javascript declares: call them in loops and \
give back only what is needed.`;
  }
  return `${use} Programs reach files through the functions ${files.join(', ')}, which the description of \
run_javascript declares; call them in loops and give back only what is needed.`;
}

module.exports = { createServer };
