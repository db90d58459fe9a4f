import { visibleText } from './visible-text';
import { WorkBudget, atOnce, inSlices } from './budget';
import { Content } from './content';
import { cutMiddle } from './cut-text';
import { dataForm } from './data-form';
import { failureText } from './failure-text';
import { iterateEntries } from './logs';
import { printingForModel } from './render';
import { isBriefJson } from './survey';
import { isApprovalRequest } from './waiting-call';
import type { ContentBlock } from './content';
import type { LogEntry } from './executor-types';
import type { RunFailure } from './run-failure';
import type { Report } from './session';
import type { WaitingCall } from './waiting-types';

// How adapters report runs to models. All outputs, logs and failures are shown and cut here.

/** UTF-16 units of an output, or of logs, that a model sees: about 5,000 tokens. */
export const MAX_CHARS = 20_000;

/** The most calls that an answer names, and the most characters of their arguments and payloads. */
const MAX_CALLS = 10;
const MAX_CALL_CHARS = 500;

/** Advice about the part that was cut. */
const OUTPUT_ADVICE = 'return a part, a count or a summary';
const LOGS_ADVICE = 'log less';
/** The text of a program without a value. Its data is `undefined`, which is not the string "undefined". */
const NO_VALUE = 'The program has no value.';
const NOT_WHOLE = 'parts of the output are left out';
const NOT_WHOLE_ADVICE = 'return a slice, a count or a summary';

/** How an output is shown. */
export interface Showing {
  /** UTF-16 units */
  maxChars?: number;
  /** of JSON, in characters */
  indent?: number;
  /** Keeps an output that is cut for later code. Returns how code reaches it, or undefined if it is not kept. */
  keep?: ((value: unknown) => string | undefined) | undefined;
}

/** An output in the form that a model sees. */
export interface Shown {
  /**
   * strings unchanged, values that JSON represents completely as JSON, everything else as `util.inspect` shows it; if
   * it is too long, without its middle
   */
  text: string;
  /** the output as data, in the forms of `data-form.ts`; its text if it is a string, `undefined` or too long */
  value: unknown;
}

/** Converts an output for a model. Large ones are examined in slices. */
export function modelOutput(output: unknown, showing?: Showing): Promise<Shown> {
  const budget = new WorkBudget();
  return inSlices(showingOutput(output, showing, budget), budget);
}

/** The text of an output for a model, for callers that cannot wait. */
export function modelText(output: unknown, showing?: Showing) {
  return atOnce(showingOutput(output, showing, new WorkBudget())).text;
}

function* showingOutput(
  output: unknown,
  { maxChars = MAX_CHARS, indent, keep }: Showing = {},
  budget: WorkBudget,
): Generator<void, Shown, void> {
  if (output === undefined) return { text: NO_VALUE, value: undefined };
  const { text, isWhole, isData } = yield* textOf(output, maxChars, indent, budget);
  if (budget.isSliceOver()) yield;
  const kept = isWhole && text.length <= maxChars ? undefined : keep?.(output);
  const cut = cutMiddle(text, maxChars, isWhole ? `of the output; ${kept ?? OUTPUT_ADVICE}` : 'of this text');
  const shown = isWhole ? cut : `${cut}\n[... ${NOT_WHOLE}; ${kept ?? NOT_WHOLE_ADVICE} ...]`;
  if (isData) return { text: shown, value: text.length <= maxChars ? output : shown };
  if (budget.isSliceOver()) yield;
  const isText = typeof output === 'string' || output === undefined;
  const form = isText ? undefined : yield* dataForm(output, maxChars, budget);
  const isBrief = form !== undefined && JSON.stringify(form.data).length <= maxChars;
  return { text: shown, value: isBrief ? form.data : shown };
}

/** The part of a run's outcome that models see. */
export type Told = Omit<Report, 'logEntries'>;

/** Everything that a model sees of a run: as one string, and as data. */
export interface ModelReport extends Omit<Told, 'artifacts'> {
  text: string;
  /** Images and other parts that are not in the text. Absent if there are none. */
  content?: readonly ContentBlock[];
}

/** What a model's report is made with. */
export interface Reporting {
  /** UTF-16 units of an output, and of logs */
  maxChars?: number;
  /** what the run has shown */
  content?: Content;
  keep?: Showing['keep'];
}

/** A report for a model. Its parts are cut, and its output is text, or data that JSON can represent. */
export async function modelReport(
  report: Told,
  { maxChars = MAX_CHARS, content = new Content(maxChars), keep }: Reporting = {},
): Promise<ModelReport> {
  const { note, waiting, artifacts } = report;
  const logs = modelLogs(report.logs, maxChars, keep);
  const failure = report.failure && modelFailure(report.failure, maxChars);
  const hasOutput = failure === undefined && waiting === undefined;
  // A program that waits shows everything when it has ended.
  if (waiting === undefined) content.addArtifacts(artifacts);
  const output = hasOutput ? content.takeFrom(report.output) : undefined;
  const shown = hasOutput ? await modelOutput(output, { maxChars, keep }) : undefined;
  const main =
    waiting === undefined ? (shown?.text ?? failureText(failure as RunFailure)) : waitsText('The program', waiting);
  const noted = note === undefined ? main : `${main}\n\nNote: ${note}`;
  const text = `${noted}${logs === '' ? '' : `\n\nLogs:\n${logs}`}`;
  return {
    text,
    logs,
    ...(waiting === undefined && content.blocks.length > 0 && { content: content.blocks }),
    ...(failure === undefined
      ? { ...(hasOutput ? { output: shown?.value } : { waiting }), ...(note !== undefined && { note }) }
      : { failure }),
  };
}

/**
 * Says to a model that a program waits, and for what.
 *
 * @param program the subject of the first sentence
 */
export function waitsText(program: string, calls: readonly WaitingCall[]) {
  if (calls.length === 0)
    return `${program} was interrupted and has not ended. Send the same code again to continue it.`;
  const lines = calls.slice(0, MAX_CALLS).map(waitingCallText);
  const more = calls.length > MAX_CALLS ? [`- and ${calls.length - MAX_CALLS} more`] : [];
  return [
    `${program} has not ended. It waits for the answer to:`,
    ...lines,
    ...more,
    'When the answer has arrived, send the same code again: the program continues after this call. Do not send other code before that.',
  ].join('\n');
}

/** A call that waits, as an item of a list. */
export function waitingCallText({ name, args, payload, isInDoubt }: WaitingCall) {
  const call = `- ${name}(${args.map((arg) => brief(arg)).join(', ')})`;
  if (isInDoubt) return `${call}, which may have taken effect already`;
  return payload === undefined ? call : `${call}: ${brief(withoutPlan(payload))}`;
}

/** The author of a program does not need its plan. */
function withoutPlan(payload: unknown) {
  if (!isApprovalRequest(payload)) return payload;
  const { plan: _, ...others } = payload;
  return others;
}

/** A value on one line. A person may decide by it, so that a guest must not add lines to the list. */
function brief(value: unknown) {
  const text = modelText(value, { maxChars: MAX_CALL_CHARS });
  return visibleText(
    typeof value === 'string'
      ? JSON.stringify(text)
      : text
          .split('\n')
          .map((line) => line.trim())
          .join(' '),
  );
}

/** @param keep as of {@link Showing} */
export function modelLogs(logs: string, maxChars: number = MAX_CHARS, keep?: Showing['keep']) {
  if (logs.length <= maxChars) return logs;
  return cutMiddle(logs, maxChars, `of the logs; ${keep?.(logs) ?? LOGS_ADVICE}`);
}

/**
 * The log of a run as lines for a model: a single string if they are long.
 *
 * @param lineOf the line of an entry
 */
export async function modelLogLines(
  report: { logEntries?: LogEntry[] },
  lineOf: (entry: LogEntry) => string,
): Promise<string[]> {
  const budget = new WorkBudget();
  const lines = await inSlices(linesOf(iterateEntries(report), budget, lineOf), budget);
  const text = lines.join('\n');
  const cut = modelLogs(text);
  return cut === text ? lines : [cut];
}

function* linesOf(
  entries: Iterable<LogEntry>,
  budget: WorkBudget,
  lineOf: (entry: LogEntry) => string,
): Generator<void, string[], void> {
  const lines: string[] = [];
  for (const entry of entries) {
    lines.push(lineOf(entry));
    budget.addPart();
    if (budget.shouldPause) yield;
  }
  return lines;
}

/** A failure with a message of limited length: guests can throw messages of any length. */
export function modelFailure(failure: RunFailure, maxChars: number = MAX_CHARS): RunFailure {
  return { ...failure, message: cutMiddle(failure.message, maxChars, 'of the message') };
}

function* textOf(
  output: unknown,
  maxChars: number,
  indent: number | undefined,
  budget: WorkBudget,
): Generator<void, { text: string; isWhole: boolean; isData: boolean }, void> {
  if (typeof output === 'string') return { text: output, isWhole: true, isData: false };
  if (yield* isBriefJson(output, indent ?? 0, budget)) {
    return { text: JSON.stringify(output, null, indent), isWhole: true, isData: true };
  }
  if (budget.isSliceOver()) yield;
  const { text, isWhole } = yield* printingForModel(output, maxChars, budget);
  // A large integer has no parts.
  return { text, isWhole: isWhole || typeof output !== 'object', isData: false };
}
