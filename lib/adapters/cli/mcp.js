// @ts-check
'use strict';

const { statSync } = require('node:fs');

const { UsageError } = require('./usage-error');

/** Of a run, where the options say nothing else: those of an executor. */
const DEFAULTS = { timeoutMs: 10_000, memoryLimitMb: 128, maxOperations: 50_000 };

/**
 * `ses-executor mcp`: serves the Model Context Protocol over stdin and stdout until stdin ends; then 0.
 *
 * @type {import('./main').Command}
 */
async function mcp(_file, { root, readOnly, ...given }) {
  if (root !== undefined) refuseNoFolder(root);
  else if (readOnly) throw new UsageError('--read-only needs --root');
  const { createServer } = require('../mcp/server');
  const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
  const { server, close } = createServer({ root, readOnly, ...limitsOf(given) });
  // Stdout belongs to the protocol.
  server.server.onerror = (error) => process.stderr.write(`ses-executor: ${error.message}\n`);
  const ended = new Promise((resolve) => process.stdin.once('end', resolve).once('close', resolve));
  await server.connect(new StdioServerTransport());
  await ended;
  await close();
  await server.close();
  return 0;
}

/** @param {Partial<typeof DEFAULTS>} given */
function limitsOf({ timeoutMs, memoryLimitMb, maxOperations }) {
  return {
    timeoutMs: timeoutMs ?? DEFAULTS.timeoutMs,
    memoryLimitMb: memoryLimitMb ?? DEFAULTS.memoryLimitMb,
    maxOperations: maxOperations ?? DEFAULTS.maxOperations,
  };
}

/** @param {string} root */
function refuseNoFolder(root) {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new UsageError(`--root must be a folder, got ${JSON.stringify(root)}`);
}

module.exports = { mcp };
