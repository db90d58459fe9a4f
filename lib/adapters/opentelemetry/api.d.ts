/**
 * `ses-executor/opentelemetry`: records runs and tool calls as spans. It needs `@opentelemetry/api`.
 *
 * @packageDocumentation
 */

import type { TracerProvider } from '@opentelemetry/api';

export interface InstrumentOptions {
  /** Default: the global provider at the time when a span begins. */
  tracerProvider?: TracerProvider | undefined;
  /**
   * Whether spans contain code, outputs, arguments and results, cut at 20,000 characters. Default `false`, because they
   * may be private.
   */
  captureContent?: boolean | undefined;
}

/**
 * Records spans for all later runs and tool calls of this process.
 *
 * A run is a span `ses_executor.run` within the span that is active when `run()` is called. A tool call is a span
 * `execute_tool <name>` within the span of its run. It has the attributes of the semantic conventions for generative
 * AI. Spans that the tool begins are its children. A failure sets the status, `error.type` (the error's code) and an
 * exception event.
 *
 * @returns a function that stops the recording
 * @throws `TypeError` for wrong options; an `Error` that names the package to install
 */
export function instrument(options?: InstrumentOptions): () => void;
