import type { RunFailure } from './run-failure';
import type { Diagnostic } from './diagnostic';

/** The input of a failure text: a `RunFailure`, or an error with its details. */
export type Told = Partial<RunFailure> & { message: string };

/** How a reader sees a failure: the lines of each part. */
export interface Reader<T extends Told> {
  head: (failure: T) => string[];
  /** of validation */
  finding: (finding: Diagnostic, failure: T) => string[];
  tail: (failure: T) => string[];
}

const MODEL: Reader<Told> = {
  head: ({ code, message, line, column }) => [
    `${code}: ${message}${line === undefined ? '' : ` (line ${line}, column ${column})`}`,
  ],
  finding: ({ location, message, fix }, failure) => {
    // The message and the hint already contain it.
    if (failure.message.endsWith(message)) return [];
    const place = location === undefined ? '' : `line ${location.line}: `;
    return [`Note: ${place}${message}${fix === undefined ? '' : ` (${fix})`}`];
  },
  tail: ({ hint }) => [`Hint: ${hint}`],
};

/**
 * A failure as text: what happened, the code around it, the findings of validation, what to do.
 *
 * @param reader by default a model that wrote the code
 */
export function failureText<T extends Told>(failure: T, reader: Reader<T> = MODEL as unknown as Reader<T>) {
  const { codeFrame, diagnostics = [] } = failure;
  return [
    ...reader.head(failure),
    ...(codeFrame === undefined ? [] : [codeFrame.trimEnd()]),
    ...diagnostics.flatMap((finding) => reader.finding(finding, failure)),
    ...reader.tail(failure),
  ].join('\n');
}
