import type { CodeToolResult } from './types';
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

  /** @param text the whole result as the model reads it */
  constructor(text: string, failure: RunFailure, logs: string) {
    super(text);
    this.failure = failure;
    this.logs = logs;
  }
}

/**
 * Returns the result of a call that did not fail.
 *
 * @throws {CodeToolError} if the call failed
 */
export function succeeded(result: CodeToolResult): Exclude<CodeToolResult, { error: unknown }> {
  if ('error' in result) throw new CodeToolError(result.text, result.error, result.logs);
  return result;
}

/**
 * As {@link succeeded}, for frameworks that pass on data. The output of a program that waits is what the model has to
 * know.
 */
export function succeededData(result: CodeToolResult): { output: unknown; logs: string; note?: string } {
  const { text, ...data } = succeeded(result);
  return 'waiting' in data ? { output: text, logs: data.logs } : data;
}
