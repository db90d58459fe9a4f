import type { Diagnostic } from './diagnostic';
import type { ExecutorErrorCode } from './error-codes';

/** A failure in a form that a model can act on: plain data, without anything of the host. */
export interface RunFailure {
  code: ExecutorErrorCode;
  /** One line. */
  message: string;
  /** Line in the code, from 1. */
  line?: number;
  /** Column in that line in UTF-16 units, from 1. */
  column?: number;
  /** The lines around that position, with a marker. */
  codeFrame?: string;
  /** The tool that failed. */
  tool?: string;
  /** Errors and warnings of validation. */
  diagnostics?: Diagnostic[];
  /** What to do next. */
  hint: string;
  /** Whether other code, or the same code later, can succeed. */
  retryable: boolean;
}
