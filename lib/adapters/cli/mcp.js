// @ts-check
'use strict';

const { inspect } = require('node:util');

const { loadTools, readText, readVariables, refuseNoFolder } = require('./input');
const { limitsOf } = require('./limits');
const { lost, ownStdout } = require('./terminal');
const { UsageError, asUsage } = require('./usage-error');

/**
 * `ses-executor mcp`: serves the Model Context Protocol over stdin and stdout until either ends; then 0.
 *
 * @type {import('./main').Command}
 */
async function mcp(_file, { openapi, baseUrl, headers, ...given }) {
  const { root, readOnly } = given;
  refuseNoFolder(root, readOnly);
  if (given.packages !== undefined && !given.python) throw new UsageError('--packages needs --python');
  const api = openapi === undefined ? undefined : { file: openapi, baseUrl, headers };
  if (api !== undefined) refuseOthers(given);
  if (api === undefined && (baseUrl !== undefined || headers.length > 0)) {
    throw new UsageError(`--${baseUrl === undefined ? 'header' : 'base-url'} needs --openapi`);
  }
  // It belongs to the protocol.
  const stdout = ownStdout();
  // One that a tool has left behind, by which Node.js would end the session.
  process.on('unhandledRejection', (reason) => {
    process.stderr.write(`ses-executor: a rejection that nobody has handled: ${inspect(reason)}\n`);
  });
  const { server, close } = await serverOf(api, given);
  const { StdioTransport } = require('../mcp/stdio');
  server.server.onerror = (error) => process.stderr.write(`ses-executor: ${error.message}\n`);
  const ended = new Promise((resolve) => process.stdin.once('end', resolve).once('close', resolve));
  await server.connect(new StdioTransport(process.stdin, stdout));
  await Promise.race([ended, lost(stdout)]);
  await close();
  await server.close();
  return 0;
}

/**
 * An API has all that its programs can call.
 *
 * @param {any} given
 */
function refuseOthers({ root, tools, vars, authorizedImports, servers, python, packages, toolTimeoutMs }) {
  const others = {
    '--root': root,
    '--tools': tools,
    '--vars': vars,
    '--python': python || undefined,
    '--packages': packages,
    '--tool-timeout': toolTimeoutMs,
  };
  const lists = { '--allow-import': authorizedImports, '--server': servers };
  const [other] = [
    ...Object.entries(others).filter(([, value]) => value !== undefined),
    ...Object.entries(lists).filter(([, list]) => list.length > 0),
  ];
  if (other !== undefined) throw new UsageError(`--openapi and ${other[0]} exclude each other`);
}

/**
 * @param {{ file: string, baseUrl: string | undefined, headers: string[] } | undefined} api
 * @param {any} given
 */
async function serverOf(api, given) {
  if (api === undefined) return await sessionServer(given);
  const headers = headersOf(api.headers);
  const { createSandboxServer } = require('../mcp/sandbox-server');
  const { timeoutMs, memoryLimitMb, maxOperations } = given;
  const limits = { timeoutMs, memoryLimitMb, maxOperations };
  const document = readText(api.file);
  return await asUsage(() => createSandboxServer({ document, baseUrl: api.baseUrl, headers, ...limits }));
}

/** @param {any} given */
async function sessionServer({
  root,
  readOnly,
  vars,
  tools,
  servers,
  authorizedImports,
  modules,
  python,
  packages,
  ...given
}) {
  const { createSessionServer } = require('../mcp/session-server');
  const { endServersBySignal } = require('./end-by-signal');
  const exported = tools === undefined ? {} : await loadTools(tools);
  const variables = vars === undefined ? undefined : readVariables(vars);
  const options = {
    ...{ root, readOnly, tools: exported, servers, variables, authorizedImports, modules },
    python: python ? { maxOperations: given.maxOperations, packages } : undefined,
  };
  endServersBySignal();
  return await asUsage(() => createSessionServer({ ...options, ...limitsOf(given) }));
}

/**
 * @param {string[]} texts those of one name are one header
 * @returns {Record<string, string>}
 */
function headersOf(texts) {
  const headers = new Headers();
  for (const text of texts) {
    const [, name = '', value = ''] = /^([^:]+):([^]*)$/.exec(text) ?? [];
    try {
      // Refuses one without a name.
      headers.append(name.trim(), value);
    } catch {
      throw new UsageError(`--header must be like "Name: value", got ${JSON.stringify(text)}`);
    }
  }
  return Object.fromEntries(headers);
}

module.exports = { mcp };
