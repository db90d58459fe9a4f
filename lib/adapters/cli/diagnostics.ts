import { failureText } from '../../contract/failure-text';
import { codeFrame } from '../../ses/code-frame';
import type { Diagnostic } from '../../contract/diagnostic';
import type { ExecutorErrorDetails } from '../../contract/errors';
import type { ExecutorError } from '../../contract/errors';

export type Details = ExecutorErrorDetails;

/** Formats diagnostics for people: location, severity, message, rule, code frame and fix. */
export function diagnosticsText(diagnostics: Diagnostic[], file: string, code: string) {
  return diagnostics.flatMap((diagnostic) => diagnosticLines(diagnostic, file, code)).join('\n');
}

/** Formats the failure of a program for people. */
export function errorText(
  { code: errorCode, message: whole, details = {} }: ExecutorError,
  file: string,
  code: string,
) {
  // Logs are printed as they arrive, so the message must not repeat them.
  const message = typeof details.cause === 'string' ? details.cause : whole;
  const { diagnostics, line, column, codeFrame: frame, hint } = details as Details;
  const place = line === undefined ? [] : [`  at ${file}:${line}:${column}`];
  // The code frame already shows the relevant location.
  const shown = line === undefined ? { diagnostics } : { codeFrame: frame };
  return failureText(
    { message, ...shown },
    {
      head: () => [`${errorCode}: ${message}`, ...place],
      finding: (diagnostic) => diagnosticLines(diagnostic, file, code),
      tail: () => [
        ...(hint === undefined ? [] : [`  hint: ${hint}`]),
        ...(shown.diagnostics === undefined ? [''] : []),
      ],
    },
  );
}

/** Returns lines, of which the last is empty. */
function diagnosticLines({ rule, severity, message, location, fix }: Diagnostic, file: string, code: string) {
  const place = location === undefined ? file : `${file}:${location.line}:${location.column}`;
  return [
    `${place}: ${severity} ${message} (${rule})`,
    ...(location === undefined ? [] : [codeFrame(code, location.line, location.column, message)]),
    ...(fix === undefined ? [] : [`  fix: ${fix}`]),
    '',
  ];
}
