// @ts-check
'use strict';

const { JSONRPCMessageSchema, JSONRPCRequestSchema, REQUEST_SCHEMAS } = require('../../bundled/mcp');
const { describe, isPlainObject } = require('../../contract/describe');

/** Bytes of one message: as many as the SDK takes. */
const MAX_LINE_BYTES = 10 * (1 << 20);
const ID = String.raw`"id"\s*:\s*(-?\d{1,15}|"(?:[^"\\]|\\.){0,200}")\s*`;
const ID_AT_START = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2.0"\s*,\s*)?${ID}[,}]`);
const ID_AT_END = new RegExp(String.raw`,\s*${ID}\}\s*$`);

/** Codes of JSON-RPC. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;

/** What is wrong with a message is said of so many of its parts. */
const MAX_ISSUES = 5;

const REQUESTS = new Map(REQUEST_SCHEMAS.map((schema) => [schema.shape.method.value, schema]));

/**
 * @typedef {import('@modelcontextprotocol/sdk/types.js').JSONRPCMessage} JSONRPCMessage
 * @typedef {string | number | null} Id null: it cannot be read
 */

/**
 * A line as a message, or what to answer if it is none. The SDK is silent about the latter, and says -32603 of parameters that
 * are wrong.
 *
 * @param {string} line
 * @returns {{ message: JSONRPCMessage, refusal?: undefined } | { message?: undefined, refusal: any }}
 * @throws {Error} for what is wrong and must not be answered: notifications and responses
 */
function readLine(line) {
  let value;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return refuse(null, PARSE_ERROR, `the line is not JSON: ${/** @type {Error} */ (error).message}`);
  }
  const parsed = JSONRPCMessageSchema.safeParse(value);
  if (parsed.success) {
    const message = /** @type {any} */ (parsed.data);
    const wrong = 'id' in message ? REQUESTS.get(message.method)?.safeParse(message).error : undefined;
    return wrong === undefined ? { message } : refuse(message.id, INVALID_PARAMS, textOf(wrong));
  }
  if (!isPlainObject(value)) {
    const text = `a message must be an object on a line of its own, got ${describe(value)}`;
    return refuse(null, INVALID_REQUEST, text);
  }
  // Else two peers could answer each other's answers for ever.
  if (!('method' in value) && ('result' in value || 'error' in value)) {
    throw new Error('a response that is not valid came in');
  }
  const isCall = value.jsonrpc === '2.0' && typeof value.method === 'string';
  if (isCall && !('id' in value)) throw new Error(`the notification ${value.method} is not valid`);
  const wrong = /** @type {import('zod').ZodError} */ (JSONRPCRequestSchema.safeParse(value).error);
  const isOfParams = wrong.issues.every(({ path }) => path[0] === 'params');
  return refuse(idOf(value), isOfParams ? INVALID_PARAMS : INVALID_REQUEST, textOf(wrong));
}

/**
 * The answer to a message that is too long.
 *
 * @param {string} ends of the message
 */
function refusalOfLong(ends) {
  const [, id] = ID_AT_START.exec(ends) ?? ID_AT_END.exec(ends) ?? [];
  const text = `the message is too long: a line may have ${MAX_LINE_BYTES} bytes`;
  return refuse(id === undefined ? null : JSON.parse(id), INVALID_REQUEST, text).refusal;
}

/**
 * @param {Id} id
 * @param {number} code
 * @param {string} message
 */
function refuse(id, code, message) {
  return { refusal: { jsonrpc: '2.0', id, error: { code, message } } };
}

/**
 * @param {Record<string, unknown>} message
 * @returns {Id}
 */
function idOf({ id }) {
  return typeof id === 'string' || Number.isSafeInteger(id) ? /** @type {Id} */ (id) : null;
}

/**
 * @param {Pick<import('zod').ZodError, 'issues'>} error
 * @param {string} what is not valid
 */
function textOf({ issues }, what = 'the message') {
  const texts = issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    return path.length === 0 ? message : `${path.join('.')}: ${message}`;
  });
  return `${what} is not valid: ${texts.join('; ')}`;
}

module.exports = { MAX_LINE_BYTES, readLine, refusalOfLong, textOf };
