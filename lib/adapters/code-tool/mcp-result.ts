import { WorkBudget, inSlices } from '../../contract/budget';
import { isPlainObject } from '../../contract/describe';
import { isQuick, parseQuick, parsing } from '../../contract/json';
import { modelOutput } from '../../contract/model-text';
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

/** Start of text that may be a JSON object or array. Other JSON texts, such as `12`, stay strings. */
const JSON_START = /^\s*[[{]/;
/** Budget steps for text that is parsed in one piece. The clock is checked after each one. */
const STEPS_PER_TEXT = 64;
/** UTF-16 units of an error's data that are its message. */
const MAX_MESSAGE_CHARS = 32_768;

export interface McpResult {
  content?: Foreign[];
  structuredContent?: unknown;
  isError?: boolean;
}

/**
 * The value that code receives for a result of an MCP server: the data if there is any, otherwise the text, otherwise
 * the blocks. Text that is a JSON object or array becomes its value.
 *
 * @throws {Error} if the server states that the call failed. Its `data` is the data of the result
 */
export async function mcpValue(result: McpResult, signal?: AbortSignal): Promise<unknown> {
  const { content = [], structuredContent, isError } = result;
  const budget = new WorkBudget();
  const { texts, ofResources } = await inSlices(collectTexts(content, budget), budget, signal);
  if (isError) {
    const said = texts.join('\n') || ofResources.join('\n') || (await dataText(structuredContent));
    const error = new Error(said ?? 'the tool has failed');
    throw structuredContent === undefined ? error : Object.assign(error, { data: structuredContent });
  }
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

function* collectTexts(content: Foreign[], budget: WorkBudget) {
  const texts: string[] = [];
  const ofResources: string[] = [];
  for (const { type, text, resource } of content) {
    if (type === 'text') texts.push(text);
    if (typeof resource?.text === 'string') ofResources.push(resource.text);
    budget.addPart();
    if (budget.shouldPause) yield;
  }
  return { texts, ofResources };
}

/** One text for each block. Several blocks that are all JSON are a list: some servers write one block per row. */
async function valueOfTexts(texts: string[], signal: AbortSignal | undefined): Promise<unknown> {
  const budget = new WorkBudget();
  const values = await inSlices(readTexts(texts, budget), budget, signal).catch(() => {
    signal?.throwIfAborted();
    return undefined;
  });
  if (values === undefined || values.length === 0) return texts.join('\n');
  return values.length === 1 ? values[0] : values;
}

/**
 * The objects and arrays that JSON texts contain. Undefined if one is any other text.
 *
 * @throws {Error} if one of them is not JSON, or if they are too large together
 */
function* readTexts(texts: string[], budget: WorkBudget): Generator<void, unknown[] | undefined, void> {
  const values: unknown[] = [];
  for (const text of texts) {
    if (!JSON_START.test(text)) return undefined;
    values.push(isQuick(text) ? parseQuick(text) : yield* parsing(text, budget));
    budget.addPart();
    budget.spend(STEPS_PER_TEXT);
    if (budget.shouldPause) yield;
  }
  return values;
}

/** The message of an error that only has data. */
async function dataText(data: unknown): Promise<string | undefined> {
  return data === undefined ? undefined : (await modelOutput(data, { maxChars: MAX_MESSAGE_CHARS })).text;
}
