// Plans: which tools a program can call. `crates/prepare` makes them from the text of the program.

/** A number of calls. */
export type PlannedTimes = 'once' | 'repeatedly' | { atMost: number };

/**
 * One argument of a call, as far as the text of the program says what it is.
 *
 * - `value`: this value.
 * - `oneOf`: one of these values.
 * - `object`: an object with these members, and with others only if `more` is present.
 * - `list`: an array with these elements, and with further ones only if `more` is present.
 * - `any`: a value that the program computes.
 * - `rest`, always last: any number of further arguments.
 */
export type PlannedArgument =
  | { value: unknown }
  | { oneOf: unknown[] }
  | { object: Record<string, PlannedArgument>; more?: true }
  | { list: PlannedArgument[]; more?: true }
  | { any: true }
  | { rest: true };

/** A call in the text of a program. */
export interface PlannedCall {
  /** Line in the code, from 1. */
  line: number;
  /** Column in that line in UTF-16 units, from 1. */
  column: number;
  /** How often the program makes the call at most: `"repeatedly"` if there is no bound. */
  times: PlannedTimes;
  /**
   * Whether the call depends on a condition. If it is `false`, every run makes the call at least once, unless the run
   * ends earlier with an error or a final answer.
   */
  conditional: boolean;
  /** The arguments by position. */
  arguments: PlannedArgument[];
}

/** A tool that a program can call. */
export interface PlannedTool {
  /** The tool, with its namespaces: `mail.send`. */
  name: string;
  /** How often the program calls the tool at most, all calls together. */
  times: PlannedTimes;
  /** Whether there may be a run without a call of the tool: see {@link PlannedCall.conditional}. */
  conditional: boolean;
  /**
   * Whether `calls` has all calls of the tool. If it is `false`, the program may call the tool in other ways too, with
   * any arguments: for example because it passes the tool on as a value.
   */
  certain: boolean;
  /**
   * The calls in the order of the text. If there are more than 100, the last one stands for all further calls, with any
   * arguments.
   */
  calls: PlannedCall[];
}

/** Why every tool counts as possible. */
export interface Unresolved {
  /**
   * - `global_object`: the program uses the global object, of which every tool is a member.
   * - `module`: it imports a module, which may call tools.
   * - `earlier_program`: it uses `name`, which an earlier program of the session may have defined.
   * - `not_readable`: it does not parse, or exceeds the limits for code. A run would refuse it.
   * - `too_complex`: it has too many functions that are passed on as values.
   * - `other_language`: plans are made for JavaScript and TypeScript in a hardened realm.
   */
  reason: 'global_object' | 'module' | 'earlier_program' | 'not_readable' | 'too_complex' | 'other_language';
  name?: string;
  /** The place in the code, if there is one. */
  line?: number;
  column?: number;
}

/**
 * Which tools a program can call, as plain JSON. Every tool that the program may call is in it.
 *
 * A plan is made from the text of the program alone. Where the text does not say which tool is called, each tool that
 * it might be is listed. Calls of code that an earlier run has left running are not in the plan.
 */
export interface Plan {
  /** The form of the plan. */
  version: 1;
  /** Whether the text shows all calls: no tool is listed only because a call of it cannot be excluded. */
  complete: boolean;
  /** The tools, in the order of the tools that the plan was made for. */
  tools: PlannedTool[];
  /** If there is an entry, all tools are possible, any number of times and with any arguments. */
  unresolved: Unresolved[];
}

/**
 * The plan of a program about which nothing is known.
 *
 * @internal
 */
export function anyPlan(names: readonly string[], reason: Unresolved['reason']): Plan {
  const tools = names.map(anyCalls);
  return { version: 1, complete: tools.length === 0, tools, unresolved: [{ reason }] };
}

/**
 * A tool that a program may call any number of times, in any way.
 *
 * @internal
 */
export function anyCalls(name: string): PlannedTool {
  return { name, times: 'repeatedly', conditional: true, certain: false, calls: [] };
}
