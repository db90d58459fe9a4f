/**
 * `ses-executor/opentelemetry`: runs and tool calls as spans. Needs `@opentelemetry/api`.
 *
 * @packageDocumentation
 */

import type { TracerProvider } from '@opentelemetry/api';

export interface InstrumentOptions {
  /** Default: the global one, whichever it is when spans begin. */
  tracerProvider?: TracerProvider | undefined;
  /** Whether spans have code, outputs, arguments and results, cut at 20,000 characters. Default `false`: they may be private. */
  captureContent?: boolean | undefined;
}

/**
 * Makes spans of all runs and tool calls of this process from now on.
 *
 * A run is a span `ses_executor.run` within the span that is active where `run()` is called; a tool call is a span
 * `execute_tool <name>` within that of its run, with the attributes of the semantic conventions for generative AI; spans that the
 * tool begins are within that. A failure sets the status, `error.type` (the error's code) and an exception event.
 *
 * @returns what ends that
 * @throws `TypeError` for wrong options; an `Error` that says what to install
 */
export function instrument(options?: InstrumentOptions): () => void;
