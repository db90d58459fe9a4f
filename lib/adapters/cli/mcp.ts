import { readFile, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { inspect } from 'node:util';

import { loadTools, readText, readVariables, refuseNoFolder } from './input';
import { endServersBySignal, signalled } from './end-by-signal';
import { placeOf } from './fleet-options';
import { limitsOf } from './limits';
import { listenAddress } from './listen-address';
import { lost, ownStdout } from './terminal';
import { HOSTS_NEED_FETCH, UsageError, asUsage } from './usage-error';
import { isLoopback } from '../mcp/address';
import type { Command, CommandOptions } from './main';
import type { Served } from '../mcp/served';
import type { HttpOptions } from '../mcp/http';

/** All options except those for an API. */
type SessionOptions = Omit<
  CommandOptions,
  'openapi' | 'baseUrl' | 'headers' | 'credentials' | 'http' | 'origins' | 'maxSessions'
>;

/** The environment variable with what clients of `--http` must send. */
const TOKEN = 'SES_EXECUTOR_MCP_TOKEN';
const MIN_TOKEN_CHARS = 16;
/** Default of `--max-sessions`. */
const MAX_SESSIONS = 16;

/** How sessions are made: one for stdin and stdout, one for each client of an address. */
interface Servers {
  warnings: string[];
  open: () => Served;
  close: () => Promise<unknown>;
}

/**
 * Runs `ses-executor mcp`: serves the Model Context Protocol over stdin and stdout until either ends, or at an address
 * until a signal ends it. The exit status is 0.
 */
export async function mcp(
  words: Parameters<Command>[0],
  { openapi, baseUrl, headers, credentials, http, origins, maxSessions, ...given }: Parameters<Command>[1],
): ReturnType<Command> {
  if (Array.isArray(words)) return await (require('./login') as typeof import('./login')).loginCommand(words);
  const { root, readOnly } = given;
  refuseNoFolder(root, readOnly);
  if (given.packages !== undefined && !given.python) throw new UsageError('--packages needs --python');
  if (given.network !== undefined && !given.python && !given.globals.includes('fetch')) {
    throw new UsageError(HOSTS_NEED_FETCH);
  }
  const api = openapi === undefined ? undefined : { file: openapi, baseUrl, headers, credentials };
  if (api !== undefined) refuseOthers(given);
  const ofApi = { 'base-url': [baseUrl].flat(), header: headers, credential: credentials };
  const [lone] = Object.entries(ofApi).find(([, values]) => values.some((value) => value !== undefined)) ?? [];
  if (api === undefined && lone !== undefined) throw new UsageError(`--${lone} needs --openapi`);
  if (http === undefined && origins.length > 0) throw new UsageError('--allow-origin needs --http');
  if (http === undefined && maxSessions !== undefined) throw new UsageError('--max-sessions needs --http');
  const address = http === undefined ? undefined : { ...listenAddress('--http', http), token: tokenOf(), origins };
  // Stdout is reserved for the protocol.
  const stdout = ownStdout();
  // A tool may have left a rejected promise without a handler. By default, Node.js would end the session.
  process.on('unhandledRejection', (reason) => {
    process.stderr.write(`ses-executor: unhandled rejection: ${inspect(reason)}\n`);
  });
  const ended = address === undefined ? endServersBySignal() : signalled();
  const servers = await serversOf(api, given);
  for (const warning of servers.warnings) process.stderr.write(`ses-executor: ${warning}\n`);
  if (address === undefined) await serveStreams(servers, stdout);
  else await serveAddress(servers, { ...address, maxSessions: maxSessions ?? MAX_SESSIONS }, ended);
  await servers.close();
  return 0;
}

const onerror = (error: Error) => void process.stderr.write(`ses-executor: ${error.message}\n`);

async function serveStreams({ open }: Servers, stdout: ReturnType<typeof ownStdout>) {
  const { StdioTransport } = require('../mcp/stdio') as typeof import('../mcp/stdio');
  const { connectBothProtocols } = require('../mcp/both-protocols') as typeof import('../mcp/both-protocols');
  const { legacyServer } = require('../mcp/legacy-server') as typeof import('../mcp/legacy-server');
  const served = await asUsage(open);
  const server = legacyServer(served);
  server.onerror = onerror;
  const ended = new Promise((resolve) => process.stdin.once('end', resolve).once('close', resolve));
  await connectBothProtocols(served, server, new StdioTransport(process.stdin, stdout));
  await Promise.race([ended, lost(stdout)]);
  await served.close();
  await server.close();
}

async function serveAddress(
  { open }: Servers,
  options: Omit<HttpOptions, 'open' | 'onerror'>,
  ended: Promise<unknown> | undefined,
) {
  const { listen } = require('../mcp/http') as typeof import('../mcp/http');
  // Wrong options are reported before there is a client.
  const { close } = await asUsage(open);
  await close();
  const endpoint = await asUsage(() => listen({ ...options, open, onerror }));
  process.stderr.write(`ses-executor: listening at ${endpoint.url}\n`);
  if (!isLoopback(options.host)) {
    process.stderr.write('ses-executor: others on the network can read requests and the token: use a proxy with TLS\n');
  }
  await ended;
  await endpoint.close();
}

function tokenOf(): string {
  const token = process.env[TOKEN] ?? '';
  if (token.length >= MIN_TOKEN_CHARS && !/\s/.test(token)) return token;
  throw new UsageError(
    `--http needs a token of at least ${MIN_TOKEN_CHARS} characters without spaces in the environment variable ${TOKEN}: ` +
      'clients send it as "Authorization: Bearer <token>"',
  );
}

/** Rejects options that do not apply to an API. The API defines everything that its programs can call. */
function refuseOthers({
  root,
  tools,
  vars,
  authorizedImports,
  globals,
  mcpServers: servers,
  python,
  packages,
  toolTimeoutMs,
  typecheck,
}: SessionOptions) {
  const others = {
    '--root': root,
    '--tools': tools,
    '--vars': vars,
    '--python': python || undefined,
    '--packages': packages,
    '--tool-timeout': toolTimeoutMs,
    '--typecheck': typecheck,
  };
  const lists = { '--allow-import': authorizedImports, '--globals': globals, '--server': servers };
  const [other] = [
    ...Object.entries(others).filter(([, value]) => value !== undefined),
    ...Object.entries(lists).filter(([, list]) => list.length > 0),
  ];
  if (other !== undefined) throw new UsageError(`--openapi and ${other[0]} cannot be combined`);
}

interface Api {
  file: string;
  baseUrl: string | undefined;
  headers: string[];
  credentials: string[];
}

async function serversOf(api: Api | undefined, given: SessionOptions): Promise<Servers> {
  if (api === undefined) return await sessionServers(given);
  const connection = {
    baseUrl: api.baseUrl === undefined ? undefined : fromEnvironment(api.baseUrl, '--base-url'),
    headers: headersOf(api.headers),
    credentials: credentialsOf(api.credentials),
    readFile: readerIn(dirname(api.file)),
  };
  const { createApiServers } = require('../mcp/api-server') as typeof import('../mcp/api-server');
  const { timeoutMs, memoryLimitMb, maxOperations } = given;
  const limits = { timeoutMs, memoryLimitMb, maxOperations };
  const document = readText(api.file);
  return await asUsage(() => {
    const { remote } = placeOf(given);
    return createApiServers({ document, ...connection, ...limits, remote });
  });
}

/** Reads the files of a document. Links do not lead out of its folder. */
function readerIn(folder: string) {
  return async (path: string) => {
    const [root, file] = await Promise.all([realpath(folder), realpath(join(folder, path))]);
    const inside = relative(root, file);
    if (inside.startsWith('..') || isAbsolute(inside)) throw new Error('it is outside the folder of the document');
    return await readFile(file, 'utf8');
  };
}

async function sessionServers({
  root,
  readOnly,
  vars,
  tools,
  mcpServers: servers,
  authorizedImports,
  modules,
  globals,
  network,
  typecheck,
  python,
  packages,
  keepState,
  ...given
}: SessionOptions) {
  const { createSessionServers } = require('../mcp/session-server') as typeof import('../mcp/session-server');
  const exported = tools === undefined ? {} : await loadTools(tools);
  const variables = vars === undefined ? undefined : readVariables(vars);
  const options = {
    ...{ root, readOnly, tools: exported, servers, variables, authorizedImports, modules, globals, network },
    ...{ typecheck, keepState },
    python: python ? { maxOperations: given.maxOperations, packages } : undefined,
  };
  return await asUsage(() => createSessionServers({ ...options, ...limitsOf(given), ...placeOf(given) }));
}

/** @param texts header lines; lines with the same name form one header. Messages do not show them: they are secrets. */
function headersOf(texts: string[]): Record<string, string> {
  const headers = new Headers();
  for (const text of texts) {
    const [, name = '', value = ''] = /^([^:]+):([^]*)$/.exec(text) ?? [];
    const expanded = fromEnvironment(value, '--header');
    try {
      // `append` rejects a header without a name.
      headers.append(name.trim(), expanded);
    } catch {
      const which =
        name === ''
          ? 'one of the given headers has no colon'
          : `the name or the value of ${name.trim()} cannot be sent`;
      throw new UsageError(`--header must be like "Name: value"; ${which}`);
    }
  }
  return Object.fromEntries(headers);
}

/** @param texts `scheme=value`, by the security schemes of the document */
function credentialsOf(texts: string[]): Record<string, string> {
  const entries = texts.map((text) => {
    const [, name = '', value = ''] = /^([^=]+)=([^]+)$/.exec(text) ?? [];
    if (name === '') throw new UsageError('--credential must be like "scheme=value"');
    return [name, fromEnvironment(value, '--credential').trim()];
  });
  return Object.fromEntries(entries);
}

/** Replaces `${NAME}` by variables of the environment: other users of the machine can read arguments. */
function fromEnvironment(text: string, option: string) {
  return text.replace(/\$\{(\w+)\}/g, (_, name) => {
    const value = process.env[name];
    if (value === undefined || value === '') throw new UsageError(`${option} needs the environment variable ${name}`);
    return value;
  });
}
