import { isPlainObject } from '../../contract/describe';
import { parseJson } from '../../contract/json';
import type { Foreign } from '../../contract/foreign';

/** Required properties of each kind of block, with their types. */
const BLOCKS = {
  text: { text: 'string' },
  image: { data: 'string', mimeType: 'string' },
  audio: { data: 'string', mimeType: 'string' },
  resource: { resource: 'object' },
  resource_link: { uri: 'string', name: 'string' },
} as Record<string, Record<string, string>>;

/** Properties of a result of `tools/call`. */
const KEYS = ['content', 'structuredContent', 'isError', '_meta'];

/** Start of a text that may be a JSON object or array. Other JSON texts, such as `12`, stay strings. */
const JSON_START = /^\s*[[{]/;

export interface McpResult {
  content?: Foreign[];
  structuredContent?: unknown;
  isError?: boolean;
}

/**
 * The value that code receives for a result of an MCP server: the data if there is any, otherwise the text, otherwise
 * the blocks. A text that is a JSON object or array is the value of this JSON.
 *
 * @throws {Error} if the server states that the call failed
 */
export async function mcpValue(result: McpResult, signal?: AbortSignal): Promise<unknown> {
  const { content = [], structuredContent, isError } = result;
  const texts: string[] = content.filter(({ type }) => type === 'text').map(({ text }) => text);
  if (isError) throw new Error(texts.join('\n') || saidOtherwise(content, structuredContent) || 'the tool has failed');
  if (structuredContent !== undefined) return structuredContent;
  return texts.length === content.length ? valueOfTexts(texts, signal) : content;
}

/** Whether a value is a result of `tools/call`, and not a value that only resembles one. */
export function isMcpResult(value: Foreign): value is McpResult {
  if (!isPlainObject(value) || !Object.keys(value).every((key) => KEYS.includes(key))) return false;
  const { content = [], isError } = value;
  if (isError !== undefined && typeof isError !== 'boolean') return false;
  if (!Array.isArray(content) || !content.every(isMcpBlock)) return false;
  return content.length > 0 || (value.content !== undefined && Object.keys(value).length > 1);
}

/**
 * Returns the result of a tool of a framework. Clients of MCP servers return results of `tools/call` as they are.
 *
 * @throws {Error} if an MCP server states that the call failed
 */
export async function withoutEnvelope(result: unknown, signal?: AbortSignal): Promise<unknown> {
  return isMcpResult(result) ? mcpValue(result, signal) : result;
}

export function isMcpBlock(block: Foreign): boolean {
  if (!isPlainObject(block)) return false;
  const kind = String(block.type);
  if (typeof block.type !== 'string' || !Object.hasOwn(BLOCKS, kind)) return false;
  const wanted = BLOCKS[kind];
  for (const name in wanted) {
    if (typeof block[name] !== wanted[name] || block[name] === null) return false;
  }
  return true;
}

/** One text for each block. Several blocks that are all JSON are a list: some servers write one block per row. */
async function valueOfTexts(texts: string[], signal: AbortSignal | undefined): Promise<unknown> {
  const values = [];
  for (const text of texts) {
    const value = await jsonOf(text, signal);
    if (value === undefined) return texts.join('\n');
    values.push(value);
  }
  return values.length === 1 ? values[0] : values.length === 0 ? '' : values;
}

/** The object or array that a JSON text contains. Undefined for any other text, and for JSON that is too large. */
async function jsonOf(text: string, signal: AbortSignal | undefined): Promise<unknown> {
  if (!JSON_START.test(text)) return undefined;
  try {
    return await parseJson(text, undefined, signal);
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

/** The message of an error without text: from its resources or its data. */
function saidOtherwise(content: Foreign[], data: unknown): string | undefined {
  const texts = content.map(({ resource }) => resource?.text).filter((text) => typeof text === 'string');
  return texts.join('\n') || JSON.stringify(data);
}
