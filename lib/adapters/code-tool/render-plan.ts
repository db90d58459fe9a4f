import { checkPlan } from '../../contract/plan-guard';
import { isIdentifier } from '../../contract/identifiers';
import { visibleText } from '../../contract/visible-text';
import type { Plan, PlannedArgument, PlannedCall, PlannedTimes, PlannedTool, Unresolved } from '../../contract/plan';

/** Characters of one constant, and of one call, that are shown. */
const MAX_CONSTANT = 200;
const MAX_CALL = 1_000;
/** Calls of one tool that are shown. */
const MAX_CALLS = 20;

const REASONS: Record<Unresolved['reason'], string> = {
  global_object: 'it uses the global object',
  module: 'it imports a module',
  earlier_program: 'an earlier program may have defined a name that it uses',
  not_readable: 'it cannot be read',
  too_complex: 'it is too complex',
  other_language: 'it is not JavaScript',
};

/**
 * The text of a plan for a person who decides about it. Constants of the program are quoted, and cannot pass for
 * another part of the text. Long ones are cut, and the text says so.
 *
 * @throws `TypeError` if it is not a plan
 *
 * @example
 * ```js
 * renderPlan(planOf('for (const to of ["ada", "bob"]) await mail.send({ to, text })', { tools, earlier: [] }));
 * // The program can call 1 tool:
 * // - mail.send: at most 2 times
 * //     line 1: mail.send({ to: "ada" | "bob", text: … }) at most 2 times
 * ```
 */
export function renderPlan(plan: Plan): string {
  const { tools, unresolved } = checkPlan(plan, 'plan');
  if (tools.length === 0) return 'The program can call no tool.';
  const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
  const head = `The program can call ${count}:`;
  const reasons = unresolved.map(reasonText);
  const warning = reasons.length === 0 ? [] : [`Any tool is possible, because ${reasons.join('; ')}.`];
  return [...warning, head, ...tools.flatMap(toolLines)].join('\n');
}

/** The same for a plan in the payload of a call. Undefined if there is none, or if a tool has passed something else. */
export function planText(plan: unknown): string | undefined {
  if (plan === undefined) return undefined;
  try {
    return renderPlan(plan as Plan);
  } catch {
    return undefined;
  }
}

function reasonText({ reason, name, line }: Unresolved) {
  const named = name === undefined ? '' : ` (${quoted(name)})`;
  const place = line === undefined ? '' : ` in line ${line}`;
  return `${REASONS[reason] ?? 'a call cannot be resolved'}${named}${place}`;
}

function toolLines({ name, times, conditional, certain, calls }: PlannedTool) {
  const shown = visibleText(name);
  const facts = certain ? timesText(times) : 'any number of times, with any arguments';
  const condition = certain && conditional ? ', only under a condition' : '';
  const lines = calls.slice(0, MAX_CALLS).map((call) => `    ${callText(shown, call)}`);
  const more = calls.length - MAX_CALLS;
  if (more > 0) lines.push(`    and ${more} more ${more === 1 ? 'call' : 'calls'}`);
  if (!certain && calls.length > 0) lines.push('    and other calls that the text does not show');
  return [`- ${shown}: ${facts}${condition}`, ...lines];
}

function callText(name: string, { line, times, arguments: planned, conditional }: PlannedCall) {
  const text = `${name}(${planned.map(argumentText).join(', ')})`;
  const shown =
    text.length > MAX_CALL ? `${text.slice(0, MAX_CALL)}… [${text.length - MAX_CALL} more characters]` : text;
  const often = times === 'once' ? '' : ` ${timesText(times)}`;
  return `line ${line}: ${shown}${often}${conditional ? ', only under a condition' : ''}`;
}

function timesText(times: PlannedTimes) {
  if (times === 'once') return 'once';
  return times === 'repeatedly' ? 'any number of times' : `at most ${times.atMost} times`;
}

function argumentText(planned: PlannedArgument): string {
  if ('value' in planned) return constantText(planned.value);
  if ('oneOf' in planned) return planned.oneOf.map(constantText).join(' | ');
  if ('list' in planned) {
    const parts = planned.list.map(argumentText);
    return `[${[...parts, ...(planned.more ? ['…'] : [])].join(', ')}]`;
  }
  if ('object' in planned) {
    const parts = Object.entries(planned.object).map(([key, part]) => `${keyText(key)}: ${argumentText(part)}`);
    return bracesText([...parts, ...(planned.more ? ['…'] : [])]);
  }
  return '…';
}

function constantText(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(constantText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return bracesText(Object.entries(value).map(([key, part]) => `${keyText(key)}: ${constantText(part)}`));
}

function bracesText(parts: string[]) {
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

function keyText(key: string) {
  return isIdentifier(key) ? visibleText(key) : quoted(key);
}

function quoted(text: string) {
  const cut = text.length > MAX_CONSTANT ? text.slice(0, MAX_CONSTANT) : text;
  const more = text.length - cut.length;
  return `${visibleText(JSON.stringify(cut))}${more > 0 ? ` [${more} more characters]` : ''}`;
}
