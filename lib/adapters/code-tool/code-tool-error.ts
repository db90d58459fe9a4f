import { contentText, hasFiles, partsOfContent } from '../../contract/content';
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
  /** What the code has shown before it failed. Absent if it has shown nothing. */
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
 * @param textOf the text of a failure. Default: also with what the code has shown, for frameworks whose failures are
 *   text.
 * @throws {CodeToolError} if the call failed
 */
export function succeeded(
  result: CodeToolResult,
  textOf: (failed: Failed) => string = withShown,
): Exclude<CodeToolResult, { error: unknown }> {
  if ('error' in result) throw new CodeToolError(textOf(result), result.error, result.logs, result.content);
  return result;
}

type Failed = Extract<CodeToolResult, { error: unknown }>;

function withShown({ text, content }: Failed) {
  if (content === undefined) return text;
  const advice = hasFiles(content) ? '\nTo show a file, show it in a program that does not fail.' : '';
  return `${text}\n\nShown before the failure:\n${contentText(content)}${advice}`;
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
