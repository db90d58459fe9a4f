// @ts-check
'use strict';

const { statSync } = require('node:fs');

const { UsageError } = require('./usage-error');
const { checkOptions } = require('../../contract/options');

/**
 * `ses-executor mcp`: serves the Model Context Protocol over stdin and stdout until stdin ends; then 0.
 *
 * @type {import('./main').Command}
 */
async function mcp(_file, { root, readOnly, ...given }) {
  if (root !== undefined) refuseNoFolder(root);
  else if (readOnly) throw new UsageError('--read-only needs --root');
  const { createServer } = require('../mcp/server');
  const { StdioTransport } = require('../mcp/stdio');
  const { server, close } = createServer({ root, readOnly, ...limitsOf(given) });
  // Stdout belongs to the protocol.
  server.server.onerror = (error) => process.stderr.write(`ses-executor: ${error.message}\n`);
  const ended = new Promise((resolve) => process.stdin.once('end', resolve).once('close', resolve));
  await server.connect(new StdioTransport(process.stdin, process.stdout));
  await ended;
  await close();
  await server.close();
  return 0;
}

/**
 * The limits of an executor, with its own defaults.
 *
 * @param {{ timeoutMs?: number, memoryLimitMb?: number, maxOperations?: number }} given
 */
function limitsOf({ timeoutMs, memoryLimitMb, maxOperations }) {
  const checked = checkOptions({ timeoutMs, memoryLimitMb, maxOperations });
  return {
    timeoutMs: checked.timeoutMs,
    memoryLimitMb: checked.memoryLimitMb,
    maxOperations: checked.maxOperations,
  };
}

/** @param {string} root */
function refuseNoFolder(root) {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new UsageError(`--root must be a folder, got ${JSON.stringify(root)}`);
}

module.exports = { mcp };
