import { partsOfContent } from '../../contract/content';
import type { CodeToolResult } from './types';
import type { ContentBlock, ContentParts } from '../../contract/content';
import type { RunFailure } from '../../contract/run-failure';

/**
 * The failure of a call in a framework whose tools fail by throwing. The message is the whole result as the model reads
 * it.
 */
export class CodeToolError extends Error {
  name = 'CodeToolError';
  failure: RunFailure;
  /** The lines that the code logged. */
  logs: string;
  /** What the code has shown before it failed. Absent if that is nothing. */
  content?: readonly ContentBlock[];

  /** @param text the whole result as the model reads it */
  constructor(text: string, failure: RunFailure, logs: string, content?: readonly ContentBlock[]) {
    super(text);
    this.failure = failure;
    this.logs = logs;
    if (content !== undefined) this.content = content;
  }
}

/**
 * Returns the result of a call that did not fail.
 *
 * @throws {CodeToolError} if the call failed
 */
export function succeeded(result: CodeToolResult): Exclude<CodeToolResult, { error: unknown }> {
  if ('error' in result) throw new CodeToolError(result.text, result.error, result.logs, result.content);
  return result;
}

/**
 * As {@link succeeded}, for frameworks that pass on data. The output of a program that waits is what the model has to
 * know.
 */
export function succeededData(result: CodeToolResult): {
  output: unknown;
  logs: string;
  note?: string;
  content?: readonly ContentBlock[];
} {
  const { text, ...data } = succeeded(result);
  return 'waiting' in data ? { output: text, logs: data.logs } : data;
}

/** The parts of a result for frameworks that take text and other parts: its text if there is nothing else. */
export function partsOfResult<P>(
  { text, content }: { text: string; content?: readonly ContentBlock[] },
  to: ContentParts<P>,
): string | P[] {
  return content === undefined ? text : [to.text(text), ...partsOfContent(content, to)];
}
