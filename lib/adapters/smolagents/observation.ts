import { describe } from '../../contract/describe';
import { describeThrown } from '../../contract/errors';
import { losesState } from '../../contract/failure';
import { failureText } from '../../contract/failure-text';
import { modelLogs, modelText, waitsText } from '../../contract/model-text';
import { objectOf } from '../../contract/options';
import type { Foreign } from '../../contract/foreign';
import type { Reader } from '../../contract/failure-text';

/**
 * Formats the result of a run for the agent's next prompt, in the wording of smolagents: `Execution logs:\n…\nLast
 * output from code snippet:\n…`. The second part is omitted if the output is `undefined`.
 *
 * Strings are shown unchanged. Values that JSON can represent are shown as JSON with an indent of 2, other values as
 * `util.inspect` formats them. Logs and outputs of more than 20,000 characters lose their middle.
 */
export function formatObservation(result: { output?: unknown; logs: string }): string {
  const { output, logs } = objectOf(result, 'result');
  if (typeof logs !== 'string') throw new TypeError(`result.logs must be a string, got ${describe(logs)}`);
  const observation = LOGS_HEADING + modelLogs(logs);
  return output === undefined
    ? observation
    : `${observation}\nLast output from code snippet:\n${modelText(output, { indent: 2 })}`;
}

/**
 * Formats a failed step for the agent's next prompt: the logs if there are any, the message, the location or the
 * validation findings, and a hint. Accepts errors of `run()`, and of `parseCodeBlobs` of `ses-executor/prompts`.
 */
export function formatErrorObservation(error: unknown): string {
  const { code, logs, details, explanation }: Foreign = error ?? {};
  const { message } = error instanceof Error ? error : describeThrown(error);
  // The message of a `SmolagentsExecutor` error is already complete.
  const isExplained = message === explanation;
  if (code === 'ERR_RUN_WAITING' && Array.isArray(details?.calls)) {
    const heading = typeof logs === 'string' && logs !== '' ? `${LOGS_HEADING}${modelLogs(logs)}\n` : '';
    return `${heading}${waitsText('The program', details.calls)}`;
  }
  const { codeFrame, diagnostics, hint } = isExplained ? {} : (details ?? {});
  return failureText(
    {
      code,
      message,
      logs: typeof logs === 'string' ? modelLogs(logs) : '',
      isStateLost: !isExplained && losesState(error),
      ...(typeof codeFrame === 'string' && { codeFrame }),
      ...(Array.isArray(diagnostics) && { diagnostics }),
      ...(typeof hint === 'string' && { hint }),
    },
    AGENT,
  );
}

/**
 * The same without its heading, for agents that append the logs themselves.
 *
 * @internal
 */
export function failedObservation(error: unknown) {
  return formatErrorObservation(error).replace(LOGS_HEADING, '');
}

const LOGS_HEADING = 'Execution logs:\n';

const AGENT: Reader<Foreign> = {
  head: ({ message, logs }) => [...(logs === '' ? [] : [LOGS_HEADING + logs]), `Error:\n${message}`],
  finding: ({ severity, message, location, fix }) => {
    const place = location === undefined ? '' : ` at line ${location.line}, column ${location.column}`;
    return [`${severity}${place}: ${message}${fix === undefined ? '' : `. ${fix}`}`];
  },
  tail: ({ code, hint, isStateLost }) => [
    ...(hint === undefined ? [] : [hint]),
    ...(isStateLost ? ['The variables and functions of earlier steps are lost: define again what you need.'] : []),
    // The message already states what to send.
    ...(code === 'ERR_CODE_NOT_FOUND'
      ? []
      : ['Correct the cause in your next code block. If that has failed before, try a different approach.']),
  ],
};
