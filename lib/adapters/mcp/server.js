// @ts-check
'use strict';

const { registerPython } = require('./python-tool');
const { limitsText, registerRun } = require('./run-tool');
const { codeFrame } = require('../../ses/code-frame');
const { SESExecutor } = require('../../ses/executor');
const { preferredIsolation } = require('../../ses/isolation');
const { encode } = require('../../ses/transfer');
const { languageText } = require('../code-tool/language');
const { McpServer } = require('../../bundled/mcp');
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
 * @property {{ maxOperations: number | undefined, packages: string | undefined }} [python] that there is `run_python` as well; the lines that it may
 * execute, and a folder of packages that it may import
 * @property {import('../../../index').Executor} [executor] where code runs; default: one of its own, with the options that follow
 * @property {'thread' | 'process'} [isolation] default: a process, where there are any
 * @property {number} [timeoutMs] deadline of a run, and the most that a call may ask for
 * @property {number} [toolTimeoutMs] time of a call of a tool, which does not count against the deadline then
 * @property {number} [memoryLimitMb]
 * @property {number} [maxOperations]
 * @property {import('../../../index').Language} [language]
 * @property {string[]} [authorizedImports]
 * @property {import('../../../index').Modules} [modules]
 */

/**
 * A server of the Model Context Protocol with one session, and what ends that.
 *
 * @param {ServerOptions} options
 */
function createServer({ root, readOnly = false, tools = {}, servers = [], variables, ...others }) {
  const { python, executor, isolation = preferredIsolation(), ...options } = others;
  const language = languageText(/** @type {any} */ (executor)?.language ?? options.language);
  const { toolset, files } = toolsetOf({ root, readOnly, tools, servers });
  const names = Object.keys(variables ?? {});
  for (const name of names) refuseReservedName(name, 'variables');
  // Else each call would fail, and the model alone be told. What executors of the caller take they say themselves.
  if (variables && !executor) encode(Object.values(variables), 'variables', Infinity, variables);
  const session = new Session(executor ?? new SESExecutor({ ...options, isolation }), {
    livesOn: true,
    codeFrame,
    variables,
  });
  // What an executor was sent is gone when it is reset.
  const { imports, folder } =
    executor === undefined ? { imports: options.authorizedImports ?? [], folder: undefined } : offerOf(executor);
  const offer = { imports, folder, variables: names };
  const server = new McpServer(
    { name: 'ses-executor', version },
    { instructions: instructions(language.toolName, files, toolset.isEmpty) },
  );
  // What the tools of others do nobody knows.
  const isOpen = Object.keys(tools).length > 0 || servers.length > 0;
  const annotations = {
    readOnlyHint: !isOpen && (root === undefined || readOnly),
    destructiveHint: isOpen || (root !== undefined && !readOnly),
    openWorldHint: isOpen,
  };
  registerRun(server, toolset, session, {
    language,
    description: description(language, options, toolset, { offer, hasFiles: root !== undefined }),
    timeoutMs: options.timeoutMs,
    annotations,
  });
  const sessions = python
    ? [session, registerPython(server, toolset, { ...options, ...python, variables, annotations })]
    : [session];
  server.registerTool(
    'reset',
    {
      title: 'Reset the session',
      description: `Forgets all variables and functions that ${python ? 'programs have' : `${language.toolName} has`} defined.`,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    async () => {
      await Promise.all(sessions.map((it) => it.reset()));
      return { content: [{ type: 'text', text: 'The session is empty.' }] };
    },
  );
  return { server, close: () => Promise.all(sessions.map((it) => it.close())) };
}

/**
 * @param {import('../code-tool/language').LanguageText} language
 * @param {Pick<ServerOptions, 'timeoutMs' | 'memoryLimitMb' | 'maxOperations'>} limits
 * @param {import('./toolset').Toolset} toolset
 * @param {{ offer: import('../../contract/executor').Offer, hasFiles: boolean }} more
 */
function description(language, limits, toolset, { offer, hasFiles }) {
  const declarations = toolset.declarationsIn(language);
  const bounds = limitsText(language, limits);
  if (language.toolName === 'run_python') return language.description(declarations, true, offer, bounds);
  const text = `Runs JavaScript in an isolated V8 realm, and gives what the last expression or a top-level \`return\` \
gives, and what console.log has logged. \`await\` works at the top level. Variables and functions live on from call \
to call.${language.surroundings(offer, declarations !== '')}${bounds}`;
  if (toolset.isEmpty) return text;
  const files = hasFiles ? ' The text of a file is `await readText({ path })`.' : '';
  return `${text}${files}\n\n${declarations}`;
}

/**
 * @param {string} tool name of the one that runs code
 * @param {string[]} files names of file tools
 * @param {boolean} isAlone whether code can call nothing
 */
function instructions(tool, files, isAlone) {
  const use = `Use ${tool} to calculate, to transform data and to work through many steps in one program, instead of \
doing so by hand. State lives on between calls; reset clears it.`;
  if (isAlone) return use;
  if (files.length === 0) {
    return `${use} Programs can call the functions that the description of ${tool} declares: call them in loops and \
give back only what is needed.`;
  }
  return `${use} Programs reach files through the functions ${files.join(', ')}, which the description of \
${tool} declares; call them in loops and give back only what is needed.`;
}

module.exports = { createServer };
