import { isPlainObject } from '../../contract/describe';
import type { McpResult } from '../code-tool/mcp-result';
import type { Foreign } from '../../contract/foreign';

/** The SDK's clients of MCP servers. */
const CLIENTS = ['MCPServerStdio', 'MCPServerSSE', 'MCPServerStreamableHttp'];

/** Results of servers, by the blocks that the SDK returns. */
const results: WeakMap<object, McpResult> = new WeakMap();
/** Classes whose instances are watched. */
const watched: WeakSet<object> = new WeakSet();

/**
 * The results of MCP servers. If a result has one block, the SDK returns only this block, without `isError` and without
 * data. So the results are recorded when the SDK's clients receive them.
 */
export class McpResults {
  #loaded: Promise<void> | undefined;

  /** @param sdk the module `@openai/agents` */
  constructor(sdk: Foreign) {
    watch(sdk);
  }

  /** Whether the SDK may have created a tool from a tool of an MCP server. */
  static mayAnswer(tool: Foreign) {
    return typeof tool.customDataExtractor === 'function';
  }

  /** Watches the clients of the package's other module format too. Hosts that are ES modules use that one. */
  watchAll() {
    this.#loaded ??= import('@openai/agents').then(watch, () => {});
    return this.#loaded;
  }

  /** @param output the output of a tool of an MCP server */
  of(output: Foreign): McpResult {
    if (typeof output === 'object' && output !== null) {
      const known = results.get(output);
      if (known !== undefined) return known;
    }
    if (Array.isArray(output)) return resultOf(output);
    return { content: [isPlainObject(output) ? output : { type: 'text', text: String(output) }] };
  }
}

function watch(sdk: Foreign) {
  for (const name of CLIENTS) {
    const prototype = sdk[name]?.prototype;
    if (typeof prototype?.callTool !== 'function' || watched.has(prototype)) continue;
    watched.add(prototype);
    const { callTool } = prototype;
    prototype.callTool = async function (...args: unknown[]) {
      const content = await Reflect.apply(callTool, this, args);
      if (Array.isArray(content) && content.length === 1) results.set(content[0], resultOf(content));
      return content;
    };
  }
}

/** @param content blocks to which the SDK has attached the rest of the result as hidden properties */
function resultOf(content: Foreign): McpResult {
  const { structuredContent, isError } = content;
  return { content: [...content], ...(structuredContent !== undefined && { structuredContent }), isError };
}
