import { clearTimeout, setTimeout } from '../../contract/clock';
import { mcpValue } from '../code-tool/mcp-result';
import { McpResults } from './mcp-results';
import type { Foreign } from '../../contract/foreign';

/** Start of the answer that a tool of earlier versions returns for its own error by default. */
const DEFAULT_ANSWER = /^An error occurred while running the tool\. Please try again\. Error: /;
/** An error as text. */
const NAMED = /^(?<name>[A-Z]\w*(?:Error|Exception)): (?<message>.*)$/s;
/** The message by which the SDK reports an error that the tool answers itself. */
const ANSWERED = 'Error running tool (non-fatal)';

/** Calls function tools. Throws their failures, even if the tool answers its own errors with a sentence. */
export class ToolCalls {
  #sdk;
  #mcpResults;

  /** @param sdk the module `@openai/agents` */
  constructor(sdk: Foreign) {
    this.#sdk = sdk;
    this.#mcpResults = new McpResults(sdk);
  }

  /** @throws {Error} if the tool failed, or if an MCP server states that the call failed */
  async invoke(tool: Foreign, runContext: unknown, input: string, details: Foreign): Promise<unknown> {
    const isOfMcp = McpResults.mayAnswer(tool);
    if (isOfMcp) await this.#mcpResults.watchAll();
    const report = { isFailed: false, isOfMcp: false };
    const output = await this.#reporting(tool, report, () => this.#call(tool, runContext, input, details));
    if (report.isFailed) throw failureOf(output);
    if (!isOfMcp || !report.isOfMcp) return output;
    return mcpValue(this.#mcpResults.of(output), details.signal);
  }

  /** Calls a tool in its own span. The SDK reports the tool's answer there. */
  #reporting(tool: Foreign, report: { isFailed: boolean; isOfMcp: boolean }, call: () => Promise<unknown>) {
    const { withTraceContext, getCurrentTrace, getCurrentSpan, NoopSpan } = this.#sdk;
    // Earlier versions cannot run a call in a given span.
    if (typeof withTraceContext !== 'function') return call();
    const span = getCurrentSpan() ?? new NoopSpan({ type: 'function', name: tool.name, input: '', output: '' });
    const watched = new Proxy(span, {
      get: (target, key) => {
        if (key === 'setError') {
          return (error: Foreign) => {
            if (error?.message === ANSWERED && error.data?.tool_name === tool.name) report.isFailed = true;
            target.setError(error);
          };
        }
        if (key === 'spanData') {
          const set = (data: Foreign, name: PropertyKey, value: unknown) => {
            if (name === 'mcp_data') report.isOfMcp = true;
            return Reflect.set(data, name, value);
          };
          return new Proxy(target.spanData, { set });
        }
        // Spans have private fields.
        const value = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
      set: (target, key, value) => Reflect.set(target, key, value, target),
    });
    return withTraceContext({ trace: getCurrentTrace() ?? undefined, span: watched }, call);
  }

  /**
   * A tool that exceeds its time limit fails, even if it would answer with a sentence: this timer starts before the
   * tool's own.
   */
  async #call(tool: Foreign, runContext: unknown, input: string, details: Foreign): Promise<unknown> {
    const { name, timeoutMs } = tool;
    if (timeoutMs === undefined) return tool.invoke(runContext, input, details);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((_, reject) => {
      const error = Object.assign(new Error(`Tool '${name}' timed out after ${timeoutMs}ms.`), {
        name: 'TimeoutError',
      });
      timer = setTimeout(reject, timeoutMs, error);
    });
    try {
      return await Promise.race([late, tool.invoke(runContext, input, details)]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The error to which a tool has answered itself. The SDK returns only the answer. */
function failureOf(answer: unknown) {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const reason = text.replace(DEFAULT_ANSWER, '').replace(/^Error: /, '');
  const { name = 'Error', message = reason } = NAMED.exec(reason)?.groups ?? {};
  return Object.assign(new Error(message), { name });
}
