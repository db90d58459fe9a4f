// @ts-check
'use strict';

const { readFileSync, statSync } = require('node:fs');

const { UsageError } = require('./usage-error');
const { checkOptions } = require('../../contract/options');

/**
 * `ses-executor mcp`: serves the Model Context Protocol over stdin and stdout until stdin ends; then 0.
 *
 * @type {import('./main').Command}
 */
async function mcp(_file, { root, readOnly, openapi, baseUrl, headers, ...given }) {
  if (root !== undefined) refuseNoFolder(root);
  else if (readOnly) throw new UsageError('--read-only needs --root');
  const api = openapi === undefined ? undefined : { file: openapi, baseUrl, headers };
  if (api !== undefined && root !== undefined) throw new UsageError('--openapi and --root exclude each other');
  if (api === undefined && (baseUrl !== undefined || headers.length > 0)) {
    throw new UsageError(`--${baseUrl === undefined ? 'header' : 'base-url'} needs --openapi`);
  }
  const { server, close } = await serverOf(api, { root, readOnly, ...given });
  const { StdioTransport } = require('../mcp/stdio');
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
 * @param {{ file: string, baseUrl: string | undefined, headers: string[] } | undefined} api
 * @param {any} given
 */
async function serverOf(api, { root, readOnly, ...given }) {
  if (api === undefined) {
    const { createServer } = require('../mcp/server');
    return createServer({ root, readOnly, ...limitsOf(given) });
  }
  const headers = Object.fromEntries(api.headers.map(headerOf));
  const { createSandboxServer } = require('../mcp/sandbox-server');
  const { timeoutMs, memoryLimitMb, maxOperations } = given;
  const document = readFileSync(api.file, 'utf8');
  return await createSandboxServer({
    document,
    baseUrl: api.baseUrl,
    headers,
    timeoutMs,
    memoryLimitMb,
    maxOperations,
  });
}

/** @param {string} text */
function headerOf(text) {
  const at = text.indexOf(':');
  if (at < 1) throw new UsageError(`--header must be like "Name: value", got ${JSON.stringify(text)}`);
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
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
