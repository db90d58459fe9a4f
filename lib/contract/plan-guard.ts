import { describe, isPlainObject, memberPath } from './describe';
import { errorOf } from './errors';
import { objectOf } from './options';
import { nameOfTool } from './tool-registry';
import type { Given } from './options';
import type { Tool } from './tool-registry';
import type { Plan, PlannedArgument, PlannedCall, PlannedTimes, PlannedTool } from './plan';

/** Arguments of plans are nested less deeply. */
const MAX_DEPTH = 64;
/** Groups of calls that are counted one by one. Beyond that, only the total of a tool counts. */
const MAX_GROUPS = 64;
const VERSION = 1;

/**
 * Holds the calls of one run to a plan. A call is in the plan if the calls of the run so far can be assigned to the
 * calls of the plan: the tool, the arguments that the plan knows, and the number of calls.
 */
export class PlanGuard {
  #tools: Map<string, ToolGuard> = new Map();
  /** Functions of modules are not in plans, but a reason for them is. Functions that describe tools are in no plan. */
  #mayImport;

  /**
   * The guard of a run.
   *
   * @param plan the option `plan`, if the run has it. The guard of a run that goes on has counted calls already.
   * @throws {TypeError} if it is not a plan
   */
  static of(plan: unknown): PlanGuard | undefined {
    return plan === undefined || plan instanceof PlanGuard ? plan : new PlanGuard(plan);
  }

  /** @throws {TypeError} if it is not a plan */
  constructor(plan: unknown, path: string = 'options.plan') {
    const { tools, unresolved } = checkPlan(plan, path);
    for (const tool of tools) this.#tools.set(tool.name, new ToolGuard(tool));
    this.#mayImport = unresolved.length > 0;
  }

  /**
   * Counts a call.
   *
   * @returns the error for a call that is not in the plan. It is not counted.
   */
  refuse(
    {
      path,
      isOfModule = false,
      isHelper = false,
      isRequest = false,
    }: Pick<Tool, 'path' | 'isOfModule' | 'isHelper' | 'isRequest'>,
    args: readonly unknown[],
  ) {
    if (isHelper || (isOfModule && this.#mayImport)) return undefined;
    const name = nameOfTool({ path, isRequest });
    const guard = isOfModule ? undefined : this.#tools.get(name);
    const reason =
      guard === undefined ? 'does not contain this tool' : guard.reasonAgainst(isRequest ? undefined : args);
    return reason === undefined ? undefined : errorOf('ERR_CALL_NOT_PLANNED', { tool: name, reason }, { tool: name });
  }
}

/** The calls of the plan that calls of a run match, by their positions. */
interface Group {
  places: Set<number>;
  /** Calls of the run that match exactly these. */
  made: number;
  /** Calls of the run that match none but these. */
  within: number;
  most: number;
}

class ToolGuard {
  #isCertain;
  #calls;
  #most;
  #made = 0;
  #groups: Map<string, Group> = new Map();

  constructor({ certain, calls, times }: PlannedTool) {
    this.#isCertain = certain;
    this.#calls = calls;
    this.#most = mostOf(times);
  }

  /**
   * @param args undefined if they are not compared
   * @returns undefined for a call that is in the plan, which is counted
   */
  reasonAgainst(args: readonly unknown[] | undefined) {
    if (!this.#isCertain) return undefined;
    if (args === undefined) {
      if (this.#made >= this.#most) return `has only ${timesText(this.#most)} of it`;
      this.#made++;
      return undefined;
    }
    const places = this.#calls.flatMap((call, index) => (accepts(call, args) ? [index] : []));
    if (places.length === 0) return 'has no call with these arguments';
    if (this.#made >= this.#most) return `has only ${timesText(this.#most)} of it`;
    const own = this.#groupOf(places);
    const affected = own && [...this.#groups.values()].filter((group) => places.every((at) => group.places.has(at)));
    if (affected?.some(({ within, most }) => within >= most)) return 'has fewer calls with these arguments';
    this.#made++;
    if (own !== undefined) own.made++;
    affected?.forEach((group) => group.within++);
    return undefined;
  }

  #groupOf(positions: number[]): Group | undefined {
    const key = positions.join();
    const known = this.#groups.get(key);
    if (known !== undefined || this.#groups.size === MAX_GROUPS) return known;
    const places = new Set(positions);
    const inner = [...this.#groups.values()].filter((group) => [...group.places].every((at) => places.has(at)));
    const within = inner.reduce((sum, { made }) => sum + made, 0);
    const most = positions.reduce((sum, at) => sum + mostOf(this.#calls[at].times), 0);
    const group = { places, made: 0, within, most };
    this.#groups.set(key, group);
    return group;
  }
}

function timesText(most: number) {
  return most === 1 ? 'one call' : `${most} calls`;
}

function mostOf(times: PlannedTimes) {
  if (times === 'once') return 1;
  return times === 'repeatedly' ? Infinity : times.atMost;
}

/** Whether a call of the plan can have these arguments. */
function accepts({ arguments: planned }: PlannedCall, args: readonly unknown[]) {
  const hasRest = planned.some((argument) => 'rest' in argument);
  const positional = planned.filter((argument) => !('rest' in argument));
  if (!hasRest && args.slice(positional.length).some((extra) => extra !== undefined)) return false;
  return positional.every((argument, index) => matches(argument, args[index]));
}

function matches(planned: PlannedArgument, value: unknown): boolean {
  if ('value' in planned) return isSame(planned.value, value);
  if ('oneOf' in planned) return planned.oneOf.some((constant) => isSame(constant, value));
  if ('list' in planned) {
    const { list, more } = planned;
    if (!Array.isArray(value) || (more ? value.length < list.length : value.length !== list.length)) return false;
    return list.every((part, index) => matches(part, value[index]));
  }
  if (!('object' in planned)) return true;
  if (!isPlainObject(value)) return false;
  const { object, more } = planned;
  if (!more && Object.keys(value).some((key) => !Object.hasOwn(object, key))) return false;
  return Object.entries(object).every(([key, part]) => matches(part, ownValue(value, key)));
}

/** Whether a value is a constant of a plan, which is data for JSON. */
function isSame(constant: unknown, value: unknown): boolean {
  if (typeof constant !== 'object' || constant === null) return constant === value;
  if (Array.isArray(constant)) {
    if (!Array.isArray(value) || value.length !== constant.length) return false;
    return constant.every((part, index) => isSame(part, value[index]));
  }
  if (!isPlainObject(value) || Object.keys(value).length !== Object.keys(constant).length) return false;
  return Object.entries(constant).every(([key, part]) => Object.hasOwn(value, key) && isSame(part, value[key]));
}

function ownValue(object: Record<string, unknown>, key: string) {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * A copy of a plan that may have been stored and read again.
 *
 * @throws {TypeError}
 */
export function checkPlan(given: unknown, path: string): Plan {
  const plan = objectOf(given, path);
  if (plan.version !== VERSION) {
    throw new TypeError(`${path}.version must be ${VERSION}, got ${describe(plan.version)}`);
  }
  const tools = listOf(plan.tools, `${path}.tools`).map((tool, index) => checkTool(tool, `${path}.tools[${index}]`));
  return { version: VERSION, complete: plan.complete === true, tools, unresolved: [...(plan.unresolved ?? [])] };
}

function checkTool(given: unknown, path: string): PlannedTool {
  const { name, times, conditional, certain, calls } = objectOf(given, path);
  if (typeof name !== 'string') throw new TypeError(`${path}.name must be a string, got ${describe(name)}`);
  if (typeof certain !== 'boolean') throw new TypeError(`${path}.certain must be a boolean, got ${describe(certain)}`);
  return {
    name,
    times: checkTimes(times, `${path}.times`),
    conditional: conditional !== false,
    certain,
    calls: listOf(calls, `${path}.calls`).map((call, index) => checkCall(call, `${path}.calls[${index}]`)),
  };
}

function checkCall(given: unknown, path: string): PlannedCall {
  const call = objectOf(given, path);
  const planned = listOf(call.arguments, `${path}.arguments`);
  return {
    line: call.line,
    column: call.column,
    times: checkTimes(call.times, `${path}.times`),
    conditional: call.conditional !== false,
    arguments: planned.map((argument, index) => checkArgument(argument, `${path}.arguments[${index}]`, 0)),
  };
}

function checkTimes(times: unknown, path: string): PlannedTimes {
  if (times === 'once' || times === 'repeatedly') return times;
  const { atMost } = isPlainObject(times) ? times : ({} as Given);
  if (Number.isInteger(atMost) && (atMost as number) >= 0) return { atMost: atMost as number };
  throw new TypeError(`${path} must be "once", "repeatedly" or { atMost: number }, got ${describe(times)}`);
}

function checkArgument(given: unknown, path: string, depth: number): PlannedArgument {
  const { value, oneOf, object, list, any, rest, more, ...others } = objectOf(given, path);
  if (depth > MAX_DEPTH) throw new TypeError(`${path} must be nested at most ${MAX_DEPTH} deep`);
  const isOpen = more === true ? { more: true as const } : {};
  if (Object.keys(others).length === 0) {
    if (any === true) return { any };
    if (rest === true) return { rest };
    if (value !== undefined) return { value: checkConstant(value, path, depth) };
    if (oneOf !== undefined) {
      return { oneOf: listOf(oneOf, `${path}.oneOf`).map((it) => checkConstant(it, path, depth)) };
    }
    if (list !== undefined) {
      const parts = listOf(list, `${path}.list`);
      return { list: parts.map((part, index) => checkArgument(part, `${path}.list[${index}]`, depth + 1)), ...isOpen };
    }
    if (object !== undefined) {
      const parts = Object.entries(objectOf(object, `${path}.object`)).map(
        ([key, part]) => [key, checkArgument(part, memberPath(`${path}.object`, key), depth + 1)] as const,
      );
      return { object: Object.fromEntries(parts), ...isOpen };
    }
  }
  throw new TypeError(`${path} must be an argument of a plan, got ${describe(given)}`);
}

/** A copy of data for JSON. */
function checkConstant(value: unknown, path: string, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new TypeError(`${path} must be nested at most ${MAX_DEPTH} deep`);
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((part) => checkConstant(part, path, depth + 1));
  if (!isPlainObject(value)) throw new TypeError(`${path} must be JSON data, got ${describe(value)}`);
  const parts = Object.entries(value).map(([key, part]) => [key, checkConstant(part, path, depth + 1)]);
  return Object.fromEntries(parts);
}

function listOf(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`${path} must be an array, got ${describe(value)}`);
  return value;
}
