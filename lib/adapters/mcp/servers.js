// @ts-check
'use strict';

const { Client, StdioClientTransport } = require('../../bundled/mcp');
const { byIdentifier, memberIdentifier } = require('../../contract/tool-names');
const { version } = require('../../../package.json');

/**
 * @typedef {{ name: string, command: string }} ServerCommand
 *
 * @typedef {object} ConnectedServer
 * @property {string} name
 * @property {Record<string, import('../code-tool').CodeToolDefinition>} definitions its tools, by identifier
 * @property {() => Promise<void>} close
 */

/** The longest timer: the deadline of the run ends a call, and its signal. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Starts other servers of the Model Context Protocol, whose tools code can call.
 *
 * @param {readonly ServerCommand[]} commands
 * @returns {Promise<ConnectedServer[]>} in the same order; if one cannot be used, none runs on
 */
async function connectServers(commands) {
  const outcomes = await Promise.allSettled(commands.map(connect));
  const failed = outcomes.find(({ status }) => status === 'rejected');
  const connected = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (failed === undefined) return connected;
  await Promise.all(connected.map(({ close }) => close()));
  throw /** @type {PromiseRejectedResult} */ (failed).reason;
}

/**
 * @param {ServerCommand} server
 * @returns {Promise<ConnectedServer>}
 */
async function connect({ name, command }) {
  const client = new Client({ name: 'ses-executor', version });
  try {
    await client.connect(new StdioClientTransport({ ...shellCommand(command), env: environment() }));
    const definitions = (await listTools(client)).map((tool) => [tool.name, definitionOf(client, tool)]);
    return {
      name,
      definitions: byIdentifier(Object.fromEntries(definitions), memberIdentifier),
      close: () => client.close(),
    };
  } catch (cause) {
    await client.close();
    throw new Error(`the server ${name} cannot be used: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}

/** @param {string} command as a shell reads it */
function shellCommand(command) {
  if (process.platform === 'win32') return { command: 'cmd.exe', args: ['/d', '/s', '/c', command] };
  // The shell becomes the command, so that what ends it ends that.
  return { command: '/bin/sh', args: ['-c', `exec ${command}`] };
}

function environment() {
  const entries = Object.entries(process.env).filter(([, value]) => value !== undefined);
  return /** @type {Record<string, string>} */ (Object.fromEntries(entries));
}

/** @param {any} client */
async function listTools(client) {
  /** @type {any[]} */
  const all = [];
  let cursor;
  do {
    /** @type {{ tools: any[], nextCursor?: string }} */
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    all.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

/**
 * @param {any} client
 * @param {any} tool as the server lists it
 * @returns {import('../code-tool').CodeToolDefinition}
 */
function definitionOf(client, { name, description, inputSchema, outputSchema }) {
  return {
    description,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    execute: async (input, { signal }) =>
      valueOf(await client.callTool({ name, arguments: input }, undefined, { signal, timeout: NO_TIMEOUT_MS })),
  };
}

/**
 * What code gets of a result: data if there is any, else the text, else the blocks.
 *
 * @param {any} result
 * @throws {Error} if it is an error
 */
function valueOf({ content = [], structuredContent, isError }) {
  const texts = content.filter((/** @type {any} */ { type }) => type === 'text');
  const text = texts.map((/** @type {any} */ block) => block.text).join('\n');
  if (isError) throw new Error(text === '' ? 'the tool has failed' : text);
  if (structuredContent !== undefined) return structuredContent;
  return texts.length === content.length ? text : content;
}

module.exports = { connectServers };
