// @ts-check
'use strict';

const { ChildTransport } = require('./child');
const { ToolList } = require('./tool-list');
const { checkedResult } = require('./tool-result');
const { textOf } = require('./messages');
const { Client, z } = require('../../bundled/mcp');
const { performance } = require('../../contract/clock');
const { byIdentifier, memberIdentifier } = require('../../contract/tool-names');
const { stoppable } = require('../code-tool/stoppable-run');
const { JsonSchema, NotJsonError, UncheckableError, UnusableSchemaError } = require('../../json-schema');
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

/** Starts of one server within so many milliseconds: one that ends at each call must not keep the host busy. */
const MAX_STARTS = 4;
const STARTS_WITHIN_MS = 60_000;

/** Time for all pages of the list of tools. */
const LIST_MS = 60_000;

/** What the SDK checks of results here: nothing. Its schemas check each part of a value at once; `checkedResult` and `ToolList` do not. */
const ANY = z.any();
/** Why the data of a result cannot be checked. */
const REASONS = [NotJsonError, UncheckableError, UnusableSchemaError];

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
 * @param {ServerCommand} command
 * @returns {Promise<ConnectedServer>}
 */
async function connect(command) {
  const { name } = command;
  const server = new OtherServer(command);
  try {
    const tools = (await server.listTools()).filter(isCallable);
    const definitions = tools.map((tool) => [tool.name, definitionOf(server, tool)]);
    return {
      name,
      definitions: byIdentifier(Object.fromEntries(definitions), memberIdentifier),
      close: () => server.close(),
    };
  } catch (cause) {
    await server.close();
    throw new Error(`the server ${name} cannot be used: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}

/**
 * A process that runs.
 *
 * @typedef {object} Running
 * @property {any} client
 * @property {ChildTransport} transport
 * @property {any[]} tools
 */

/** A server that is started by its first call, and again by the next one when it has ended. */
class OtherServer {
  #command;
  /** @type {Promise<Running> | undefined} */
  #running;
  /** Of the last process. @type {ChildTransport | undefined} */
  #transport;
  /** When it was started lately. @type {number[]} */
  #starts = [];
  #isClosed = false;

  /** @param {ServerCommand} command */
  constructor(command) {
    this.#command = command;
  }

  /** @returns {Promise<any[]>} as the server lists them */
  async listTools() {
    return (await this.#run()).tools;
  }

  /**
   * @param {string} tool
   * @param {any} input
   * @param {AbortSignal} signal
   * @returns {Promise<any>} as the server answers
   */
  async callTool(tool, input, signal) {
    const { name } = this.#command;
    const { client, transport } = await this.#run().catch((cause) => {
      throw new Error(`the server ${name} has ended and cannot be started again: ${cause.message}`, { cause });
    });
    try {
      // The SDK listens to a signal for good, and cancels also what has been answered.
      return await stoppable(signal, (own) =>
        client.request({ method: 'tools/call', params: { name: tool, arguments: input } }, ANY, {
          signal: own,
          timeout: NO_TIMEOUT_MS,
        }),
      );
    } catch (cause) {
      if (signal.aborted || transport.ending === undefined) throw readable(cause);
      throw new Error(`the server ${name} has ended (${transport.ending}); the next call starts it again`, { cause });
    }
  }

  async close() {
    this.#isClosed = true;
    await this.#transport?.close();
  }

  #run() {
    if (this.#running !== undefined) return this.#running;
    const forget = () => {
      if (this.#running === running) this.#running = undefined;
    };
    const running = this.#start(forget);
    running.catch(forget);
    this.#running = running;
    return running;
  }

  /**
   * @param {() => void} onEnd
   * @returns {Promise<Running>}
   */
  async #start(onEnd) {
    if (this.#isClosed) throw new Error('it has been closed');
    this.#countStart();
    const transport = new ChildTransport(this.#command);
    transport.onclose = onEnd;
    this.#transport = transport;
    const client = new Client({ name: 'ses-executor', version }, {});
    try {
      await client.connect(transport);
      return { client, transport, tools: await listTools(client) };
    } catch (cause) {
      const { ending } = transport;
      await transport.close();
      throw ending === undefined ? readable(cause) : new Error(`it has ended (${ending})`, { cause });
    }
  }

  /** @throws {Error} if there are too many */
  #countStart() {
    const now = performance.now();
    this.#starts = this.#starts.filter((start) => now - start < STARTS_WITHIN_MS);
    if (this.#starts.length === MAX_STARTS) {
      const left = Math.ceil((this.#starts[0] + STARTS_WITHIN_MS - now) / 1000);
      throw new Error(`it has been started ${MAX_STARTS} times lately; wait ${left} s`);
    }
    this.#starts.push(now);
  }
}

/** @param {any} client */
async function listTools(client) {
  const end = performance.now() + LIST_MS;
  const list = new ToolList();
  do {
    const timeout = Math.max(1, end - performance.now());
    const params = list.cursor === undefined ? undefined : { cursor: list.cursor };
    await list.add(await client.request({ method: 'tools/list', params }, ANY, { timeout }));
  } while (list.cursor !== undefined);
  return list.tools;
}

/**
 * Whether a call gives the result: some tools give a task that is asked for it.
 *
 * @param {any} tool as the server lists it
 */
function isCallable({ execution }) {
  return execution?.taskSupport !== 'required';
}

/**
 * A result whose data is as the tool's output schema has it. Parts of the schema that cannot be used are left out.
 *
 * @param {string} name
 * @param {any} result
 * @param {JsonSchema} schema
 * @param {AbortSignal} signal
 * @returns {Promise<any>} with the data that was checked
 * @throws {Error} that says what is wrong with the data
 */
async function withCheckedData(name, result, schema, signal) {
  if (result.isError) return result;
  if (!result.structuredContent) {
    throw new Error(`MCP error -32600: Tool ${name} has an output schema but did not return structured content`);
  }
  try {
    const { value, issues } = /** @type {any} */ (await schema.check(result.structuredContent, signal));
    if (issues === undefined) return { ...result, structuredContent: value };
    throw unlikeSchema(issues.map((/** @type {any} */ { message }) => message).join('; '));
  } catch (error) {
    if (!REASONS.some((Reason) => error instanceof Reason)) throw error;
    throw unlikeSchema(`it cannot be checked: ${/** @type {Error} */ (error).message}`);
  }
}

/** @param {string} reason */
function unlikeSchema(reason) {
  return new Error(`the structured content does not match the tool's output schema: ${reason}`);
}

/**
 * An error of a server. What the SDK says of an answer that is not as the protocol has it is all that it is not.
 *
 * @param {any} error
 */
function readable(error) {
  return Array.isArray(error?.issues) ? new Error(textOf(error, 'its answer'), { cause: error }) : error;
}

/**
 * @param {OtherServer} server
 * @param {any} tool as the server lists it
 * @returns {import('../code-tool').CodeToolDefinition}
 */
function definitionOf(server, { name, description, inputSchema, outputSchema }) {
  const schema = outputSchema === undefined ? undefined : new JsonSchema(outputSchema, { isLenient: true });
  return {
    description,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    execute: async (input, { signal }) => {
      const result = checkedResult(await server.callTool(name, input, signal));
      return valueOf(schema === undefined ? result : await withCheckedData(name, result, schema, signal));
    },
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
  if (isError) throw new Error(text || saidOtherwise(content, structuredContent) || 'the tool has failed');
  if (structuredContent !== undefined) return structuredContent;
  return texts.length === content.length ? text : content;
}

/**
 * What an error says that has no text: in resources, or as data.
 *
 * @param {any[]} content
 * @param {unknown} data
 * @returns {string | undefined}
 */
function saidOtherwise(content, data) {
  const texts = content.map(({ resource }) => resource?.text).filter((text) => typeof text === 'string');
  return texts.join('\n') || JSON.stringify(data);
}

module.exports = { connectServers };
