// @ts-check
'use strict';

const { callResult } = require('./result');
const { OUTPUT_SHAPE } = require('./output-shape');
const { McpServer, z } = require('../../bundled/mcp');
const { SandboxManager, anyState, registryFromOpenApi, renderSandboxPrompt } = require('../../sandbox');
const { SandboxCalls } = require('../../sandbox/calls');
const { version } = require('../../../package.json');

/** What models are shown as the tools' titles. */
const TITLES = /** @type {const} */ ({
  search: 'Search the API',
  execute: 'Call the API from a program',
  mutate: 'Change the last result by a program',
});

/**
 * A server of the Model Context Protocol with the three tools of a sandbox over an API, and what ends it.
 *
 * @param {object} options
 * @param {string} options.document OpenAPI, JSON or YAML
 * @param {string} [options.baseUrl]
 * @param {Record<string, string>} options.headers of each request
 * @param {number} [options.timeoutMs]
 * @param {number} [options.memoryLimitMb]
 * @param {number} [options.maxOperations]
 */
async function createSandboxServer({ document, baseUrl, headers, timeoutMs, memoryLimitMb, maxOperations }) {
  const api = await registryFromOpenApi(document, { baseUrl, headers });
  const manager = new SandboxManager({
    ...api,
    stateSchema: anyState,
    executionTimeoutMs: timeoutMs,
    memoryLimitMb,
    maxOperations,
  });
  const calls = new SandboxCalls(manager);
  const server = new McpServer({ name: 'ses-executor', version }, { instructions: renderSandboxPrompt(manager) });
  for (const name of /** @type {(keyof typeof TITLES)[]} */ (Object.keys(TITLES))) {
    server.registerTool(
      name,
      {
        title: TITLES[name],
        description: calls.descriptions[name],
        inputSchema: { code: z.string().describe('The JavaScript program to run') },
        outputSchema: OUTPUT_SHAPE,
        annotations: { readOnlyHint: name === 'search', openWorldHint: name !== 'search' },
      },
      async ({ code }, { signal }) => callResult({ logEntries: [], ...(await calls.call(name, code, signal)) }),
    );
  }
  return { server, close: () => manager.close() };
}

module.exports = { createSandboxServer };
