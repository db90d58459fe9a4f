import { describe } from '../../contract/describe';
import { failureText } from '../../contract/failure-text';
import { modelFailure, modelLogLines, modelOutput } from '../../contract/model-text';
import type { Content } from '../../contract/content';
import type { Report } from '../../contract/session';
import type { LogEntry } from '../../contract/executor-types';
import type { ExecuteResult } from './types';

/** Matches the output string of a function. */
export const FUNCTION = /^\[(?:Async)?(?:Generator)?Function(?:: [^\]]*| \(anonymous\))\]/;
/** Matches the function in which codemode wraps code that it cannot parse, including TypeScript. */
const PROGRAM = /^async \(\) => \{\n([^]*)\n\}$/;
/** Matches the start of a function without parameters, after comments. */
const FUNCTION_START =
  /^(?:\s|\/\/.*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:async\b\s*)?(?:function\b|\(\s*\)\s*(?::[^;]*?)?=>)/;

/** Removes the function in which codemode wraps a function that it cannot parse. */
export function sourceOf(code: unknown) {
  if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
  const [, program = ''] = PROGRAM.exec(code.trim()) ?? [];
  // The wrapper would discard an inner function without calling it.
  return FUNCTION_START.test(program) ? program : code;
}

/** @param content receives the content of the output; without it, content stays part of the output */
export async function resultOf(report: Report, content?: Content): Promise<ExecuteResult> {
  const { failure } = report;
  content?.addArtifacts(report.artifacts);
  const output = content === undefined ? report.output : content.takeFrom(report.output);
  const logs = await modelLogLines(report, lineOf);
  if (failure !== undefined) return { result: undefined, error: failureText(modelFailure(failure)), logs };
  // A program without a value has no result.
  return { result: output === undefined ? undefined : (await modelOutput(output)).value, logs };
}

function lineOf({ level, message }: LogEntry): string {
  return level === 'warn' || level === 'error' ? `[${level}] ${message}` : message;
}
