// @ts-check
'use strict';

const { createSessionServer } = require('./session-server');
const { describe, isPlainObject, memberPath } = require('../../contract/describe');
const { isExecutor, refuseBeside } = require('../../contract/executor');
const { OPTION_NAMES, checkOptions, optionsOf } = require('../../contract/options');
const { refuseWrongOptions } = require('../../ses/check-options');

/** Those that are not the executor's. */
const OWN_OPTIONS = ['executor', 'root', 'readOnly', 'tools', 'servers', 'variables'];
const KNOWN = [...OWN_OPTIONS, ...OPTION_NAMES];

/**
 * What `ses-executor mcp` serves, for any transport. Documented in `index.d.ts`.
 *
 * @param {import('./index').McpServerOptions} [given]
 * @returns {Promise<import('./index').McpServer>}
 */
async function createMcpServer(given = {}) {
  const {
    executor,
    root,
    readOnly,
    tools,
    servers: commands = {},
    variables,
    ...others
  } = optionsOf(given, 'options', KNOWN);
  refuseNoObjects({ tools, servers: commands, variables });
  if (readOnly !== undefined && typeof readOnly !== 'boolean') {
    throw new TypeError(`options.readOnly must be a boolean, got ${describe(readOnly)}`);
  }
  const options = executor === undefined ? executorOptions(others) : ofGiven(executor, others);
  const servers = Object.entries(commands).map(([name, command]) => {
    if (typeof command === 'string' && command.trim() !== '') return { name, command };
    throw new TypeError(`${memberPath('options.servers', name)} must be a command, got ${describe(command)}`);
  });
  const { server, close } = await createSessionServer({
    ...{ executor, root, readOnly, tools, servers, variables },
    ...options,
  });
  return {
    connect: (transport) => server.connect(/** @type {any} */ (transport)),
    close: async () => {
      await close();
      await server.close();
    },
  };
}

/** @param {Record<string, unknown>} given */
function refuseNoObjects(given) {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || isPlainObject(value)) continue;
    throw new TypeError(`options.${name} must be an object, got ${describe(value)}`);
  }
}

/** @param {import('../../../index').ExecutorOptions} options */
function executorOptions(options) {
  refuseWrongOptions(options, OWN_OPTIONS);
  const { timeoutMs, memoryLimitMb, maxOperations } = checkOptions(options);
  return { ...options, timeoutMs, memoryLimitMb, maxOperations };
}

/**
 * An executor has its own options.
 *
 * @param {unknown} executor
 * @param {object} others
 */
function ofGiven(executor, others) {
  if (!isExecutor(executor)) throw new TypeError(`options.executor must be an executor, got ${describe(executor)}`);
  refuseBeside(others, OWN_OPTIONS);
  return {};
}

module.exports = { createMcpServer };
