import {
  JSONRPCErrorResponseSchema,
  JSONRPCMessageSchema,
  JSONRPCRequestSchema,
  JSONRPCResultResponseSchema,
  REQUEST_SCHEMAS,
} from '../../bundled/mcp';
import { describe, isPlainObject } from '../../contract/describe';
import { isQuick, parseJson, parseQuick } from '../../contract/json';
import type { Foreign } from '../../contract/foreign';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { ZodError } from 'zod';

/** Maximum size of one message in bytes. The SDK has the same limit. */
export const MAX_LINE_BYTES = 10 * (1 << 20);
const ID = String.raw`"id"\s*:\s*(-?\d{1,15}|"(?:[^"\\]|\\.){0,200}")\s*`;
const ID_AT_START = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2.0"\s*,\s*)?${ID}[,}]`);
const ID_AT_END = new RegExp(String.raw`,\s*${ID}\}\s*$`);

/** The number of characters at each end of an unparsed line that are searched for the request's number. */
const KEPT_CHARS = 1_024;
/** Maximum number of keys in a message, and in the parts of it that schemas check. Schemas copy each key. */
const MAX_KEYS = 1_000;

/** Error codes of JSON-RPC. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;

/** Maximum number of problems that an error lists for a message. */
const MAX_ISSUES = 5;

const REQUESTS = new Map(REQUEST_SCHEMAS.map((schema) => [schema.shape.method.value, schema]));

/** Null if the id cannot be read. */
export type Id = string | number | null;

/**
 * The result of reading a line: a message, or the answer to a line that is not a valid message. An answer of the peer
 * that is not valid is read as an error.
 *
 * `isUnreadable`: the line is a message, but reading it takes too much time or memory.
 */
export type Read =
  | { message: JSONRPCMessage; refusal?: undefined; isUnreadable?: undefined }
  | { message?: undefined; refusal: Foreign; isUnreadable?: boolean };

/**
 * Reads a line as a message. The SDK ignores lines that are not messages, and answers wrong parameters with -32603.
 *
 * @returns a promise if the line takes a while to read
 * @throws {Error} for invalid notifications, and for invalid responses without an id. Neither must be answered. A
 *   promise rejects with the same error.
 */
export function readLine(line: string): Read | Promise<Read> {
  if (!isQuick(line)) return parseJson(line).then(messageOf, (error) => unreadable(line, error));
  let value;
  try {
    value = parseQuick(line);
  } catch (error) {
    return unreadable(line, error);
  }
  return messageOf(value);
}

function unreadable(line: string, thrown: unknown): Read {
  const { message } = thrown as Error;
  if (thrown instanceof SyntaxError) return refuse(null, PARSE_ERROR, `the line is not JSON: ${message}`);
  const text = `the message cannot be read: ${message}`;
  return { refusal: refusalOf(line, text), isUnreadable: true };
}

/** @throws {Error} */
function messageOf(value: Foreign): Read {
  if (isPlainObject(value) && isTooWide(value)) {
    const text = `a message, its result and its params may have at most ${MAX_KEYS} keys each`;
    return isAnswer(value) ? failure(value, text) : refuse(idOf(value), INVALID_REQUEST, text);
  }
  const parsed = JSONRPCMessageSchema.safeParse(value);
  if (parsed.success) {
    const message = parsed.data as Foreign;
    const wrong = 'id' in message ? REQUESTS.get(message.method)?.safeParse(message).error : undefined;
    return wrong === undefined ? { message } : refuse(message.id, INVALID_PARAMS, textOf(wrong));
  }
  if (!isPlainObject(value)) {
    const text = `a message must be an object on its own line, got ${describe(value)}`;
    return refuse(null, INVALID_REQUEST, text);
  }
  // An answer must not be answered: two peers could do so forever.
  if (isAnswer(value)) return failure(value, said(value) ?? problemOf(value));
  const isCall = value.jsonrpc === '2.0' && typeof value.method === 'string';
  if (isCall && !('id' in value)) throw new Error(`the notification ${value.method} is not valid`);
  const wrong = JSONRPCRequestSchema.safeParse(value).error as ZodError;
  const isOfParams = wrong.issues.every(({ path }) => path[0] === 'params');
  return refuse(idOf(value), isOfParams ? INVALID_PARAMS : INVALID_REQUEST, textOf(wrong));
}

function isAnswer(message: Foreign) {
  return !('method' in message) && ('result' in message || 'error' in message);
}

/**
 * Reads an answer that is not valid as an error, so that its call fails.
 *
 * @throws {Error} if it does not say which call it answers
 */
function failure(answer: Foreign, text: string): Read {
  const id = idOf(answer);
  if (id === null) throw new Error('received a response that is not valid');
  return { message: { jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message: text } } };
}

/** The message of an error whose other members are not valid. */
function said({ error }: Foreign): string | undefined {
  const text = typeof error === 'string' ? error : error?.message;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

function problemOf(answer: Foreign) {
  const schema = 'result' in answer ? JSONRPCResultResponseSchema : JSONRPCErrorResponseSchema;
  return textOf(schema.safeParse(answer).error as ZodError, 'the answer');
}

/** Whether a message has more keys than schemas can check quickly. */
function isTooWide(message: Foreign) {
  const { params, result, error } = message;
  const objects = [message, params, params?._meta, result, result?._meta, error];
  return objects.some((it) => typeof it === 'object' && it !== null && Object.keys(it).length > MAX_KEYS);
}

/**
 * Returns the answer to a message that is too long.
 *
 * @param ends both ends of the message
 */
export function refusalOfLong(ends: string) {
  return refusalOf(ends, `the message is too long: a line may have at most ${MAX_LINE_BYTES} bytes`);
}

/**
 * Returns the answer to a message that is not parsed.
 *
 * @param line the line or its ends
 */
function refusalOf(line: string, text: string) {
  const [, id] = ID_AT_START.exec(line.slice(0, KEPT_CHARS)) ?? ID_AT_END.exec(line.slice(-KEPT_CHARS)) ?? [];
  return refuse(id === undefined ? null : JSON.parse(id), INVALID_REQUEST, text).refusal;
}

function refuse(id: Id, code: number, message: string) {
  return { refusal: { jsonrpc: '2.0', id, error: { code, message } } };
}

function idOf({ id }: Record<string, unknown>): Id {
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as Id) : null;
}

/** @param what the value that is not valid */
export function textOf({ issues }: Pick<ZodError, 'issues'>, what: string = 'the message') {
  const texts = issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    return path.length === 0 ? message : `${path.join('.')}: ${message}`;
  });
  return `${what} is not valid: ${texts.join('; ')}`;
}
