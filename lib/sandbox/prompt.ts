import { DISPLAY_TEXT } from '../contract/display';
import { objectOf } from '../contract/options';
import type { SandboxManager } from './manager';

/** A manager of any state, for any context. `any`, because its methods take both. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as said
export type AnyManager = SandboxManager<any, any>;

/** Maximum number of sources that a summary names. Models find the others through `spec`. */
const MAX_SOURCES = 30;
const MAX_DESCRIPTION = 160;

/**
 * The rules for writing programs, by style (specification, "System Prompt").
 *
 * @internal
 */
export const RULES = {
  sync: `- SDK calls are synchronous: \`var result = sdk.source.method({ … })\`. Do not use async, await or Promise.
- Independent calls run at the same time with \`utils.parallel(function () { return sdk.a.b({ … }); }, function () { … })\`,
  which returns an array of their results.`,
  async: `- SDK calls return promises: \`const result = await sdk.source.method({ … })\`; \`await\` works at the top level.
- Independent calls run at the same time with \`await Promise.all([sdk.a.b({ … }), sdk.c.d({ … })])\`.`,
} as Record<'sync' | 'async', string>;

const UTILS = `computeMA(data, period), computeEMA(data, period), computeBOLL(data, period, stdDev), computeRSI(data, period),
computeMACD(data, fast, slow, signal), computeRollingCorrelation(a, b, windows), computeCorrelationMatrix(series, labels),
resample(candles, timeframe, { gaps }), pctChange(data), normalize(data), parallel(...functions). Data are arrays of numbers or
of candles; the last argument may name another column than "close". Results are as long as the data, with null where there is no
full window yet; data may begin with null.`;

/** The part of a system prompt that names the sources and describes how to write programs. Default style: `"sync"`. */
export function renderSandboxPrompt(
  manager: AnyManager,
  { style = 'sync' }: { style?: 'sync' | 'async' | undefined } = {},
): string {
  if (!Object.hasOwn(RULES, style))
    throw new TypeError(`options.style must be "sync" or "async", got ${String(style)}`);
  const { limits } = objectOf(manager, 'manager');
  if (limits === undefined) throw new TypeError('manager must be a SandboxManager, got an object without limits');
  const { executionTimeoutMs, memoryLimitMb, maxSdkCalls } = limits;
  const { missing, given } = manager.globalsText;
  const absent = [...missing, 'no file system'].join(', ');
  return `## Data sources
${sourcesText(manager)}

## Programs
You work with these sources by writing JavaScript programs. First search for methods and read their declarations, then call
them.
- Search: only \`tools\` and \`spec\`. \`tools.search('words')\` returns [{ name, description }], the best first, and
  \`tools.describe(name, …)\` the declarations of methods in TypeScript;
  \`spec.find('words')\` or \`spec.find(/pattern/i)\` returns [{ method, source, name, description }], the best first;
  \`spec.method('source.method')\` returns one with \`params\` and \`result\` (JSON schemas) and \`examples\`;
  \`spec.sources\` has them all, and \`spec.$defs\` the schemas that \`#/$defs/name\` refers to.
- Execute: \`tools\`, \`spec\`, \`sdk.source.method(params)\` and \`utils\`. Return only what is needed.
- Mutate: as execute, with the current state: \`(state) => ({ ...state, … })\`. The state is frozen: make a new one.

## Rules for writing programs
${RULES[style]}
- The value of the last expression, or of a top-level \`return\`, is the result; it must be plain data.
- \`sdk.source.method(params, { response: true })\` returns { status, headers, body }, for example to page by the header \`link\`.
- ${DISPLAY_TEXT}
- console.log is collected. There is ${absent}, no require, no import and no eval.${given === '' ? '' : ` ${given}`}
- A program has ${executionTimeoutMs / 1_000} s, ${memoryLimitMb} MiB and ${maxSdkCalls} SDK calls. Each one starts afresh: nothing stays
  from earlier programs.

## utils
${UTILS}`;
}

/**
 * The declarations of all methods, if they are short enough.
 *
 * @internal
 */
export function methodsText(manager: AnyManager, style: 'sync' | 'async'): string {
  const declarations = manager.declarations(style);
  if (declarations === undefined || declarations === '') return '';
  return `\n\nThese are all methods:\n\n${declarations}`;
}

/** @internal */
export function sourcesText(manager: AnyManager) {
  const { sources } = manager;
  const lines = sources.slice(0, MAX_SOURCES).map(({ name, description, methods }) => {
    const text = description.replace(/\s+/g, ' ');
    const short = text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION)}...` : text;
    return `- sdk.${name}${short === '' ? '' : `: ${short}`} (${methods} ${methods === 1 ? 'method' : 'methods'})`;
  });
  if (sources.length > MAX_SOURCES) lines.push(`- and ${sources.length - MAX_SOURCES} others: see spec.sources`);
  return lines.join('\n');
}
