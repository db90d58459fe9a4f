// @ts-check
'use strict';

const { createSessionServer } = require('./session-server');
const { describe } = require('../../contract/describe');
const { isExecutor } = require('../../contract/executor');
const { checkOptions } = require('../../contract/options');
const { refuseWrongOptions } = require('../../ses/check-options');

/**
 * What `ses-executor mcp` serves, for any transport. Documented in `index.d.ts`.
 *
 * @param {import('./index').McpServerOptions} [options]
 * @returns {Promise<import('./index').McpServer>}
 */
async function createMcpServer({ executor, root, readOnly, tools, servers: commands = {}, variables, ...others } = {}) {
  const options = executor === undefined ? executorOptions(others) : ofGiven(executor, others);
  const servers = Object.entries(commands).map(([name, command]) => ({ name, command }));
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

/** @param {import('../../../index').ExecutorOptions} options */
function executorOptions(options) {
  refuseWrongOptions(options);
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
  const [other] = Object.keys(others);
  if (other !== undefined) throw new TypeError(`options.${other} belongs to the executor that options.executor is`);
  return {};
}

module.exports = { createMcpServer };
