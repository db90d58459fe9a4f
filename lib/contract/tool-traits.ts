// Traits that callers and this package add to functions that are tools.

import { types } from 'node:util';

import { NO_MARKS, refuseOtherMarks } from './approval-marks';
import { describe } from './describe';
import { optionRow } from './option-table';

/**
 * What models read about a function that takes one object.
 *
 * @internal
 */
export interface Definition {
  description: string;
  /** JSON Schema */
  inputSchema: object;
  outputSchema: object;
}

/**
 * What a function takes and returns that takes its inputs one by one, or as one object that names them.
 *
 * @internal
 */
export interface Inputs {
  /** Schemas as smolagents has them, by name. */
  inputs: Readonly<Record<string, object>>;
  /** The name of a type; undefined for any. */
  output: string | undefined;
}

/**
 * What to do with a tool call of a `DurableSession` that had begun when the process ended: `"wait"` for somebody who
 * decides, `"repeat"` the call, or `"fail"` it in the guest with `ERR_CALL_IN_DOUBT`.
 */
export type InDoubt = 'wait' | 'repeat' | 'fail';

/**
 * Undoes a finished call of a tool. It may return a promise.
 *
 * @param args the arguments that the guest passed
 * @param result the result that the guest got
 * @param key the key of the call
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- functions declare what their tools take and return
export type Revert = (args: any, result: any, key: string) => unknown;

/**
 * Properties of a tool that its function does not show.
 *
 * @internal
 */
export interface Traits {
  isBlocking?: boolean;
  timeoutMs?: number;
  inDoubt?: InDoubt;
  /** Whether a recorded session does not keep its results. */
  isUnrecorded?: boolean;
  /** Undoes a call of the tool in a recorded session. */
  revert?: Revert;
  /** Whether this package offers it to programs, without an effect outside. Then `onToolCall` is not asked. */
  isHelper?: boolean;
  /** Whether it is a helper that answers questions about tools. */
  isLookup?: boolean;
  definition?: Definition;
  inputs?: Inputs;
}

/** The traits of functions that {@link blocking}, {@link withTimeout} and {@link defined} have returned. */
const traitsOf: WeakMap<Function, Traits> = new WeakMap();
/**
 * Property of the functions that {@link blocking} and {@link withTimeout} have created, for another copy of this
 * package.
 */
const TRAITS: unique symbol = Symbol.for('ses-executor:tool-traits');

/**
 * Marks a tool as blocking: guests receive a value instead of a promise. They wait without `await` until the promise
 * settles; the thread of the host does not wait. Deadlines, aborts and `cleanup()` end the wait as they end any run.
 *
 * @throws `TypeError` if `fn` is not a function
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tools declare the parameters that they expect
export function blocking<T extends (...args: any[]) => unknown>(fn: T): T {
  return withTraits(fn, { isBlocking: true });
}

/**
 * Gives a tool its own {@link ExecutorOptions.toolTimeoutMs}. A timeout of an hour costs nothing, for example for a
 * tool that asks a person or runs another agent. After the timeout the guest no longer waits for the tool's promise. A
 * synchronous function is not interrupted.
 *
 * @throws `TypeError` if `fn` is not a function or `timeoutMs` is not an integer
 * @throws `RangeError` if `timeoutMs` is out of bounds
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as for `blocking`
export function withTimeout<T extends (...args: any[]) => unknown>(fn: T, timeoutMs: number): T {
  const { min, max } = optionRow('toolTimeoutMs');
  if (!Number.isInteger(timeoutMs)) throw new TypeError(`timeoutMs must be an integer, got ${describe(timeoutMs)}`);
  if (timeoutMs < Number(min) || timeoutMs > Number(max)) {
    throw new RangeError(`timeoutMs must be an integer from ${min} to ${max}, got ${timeoutMs}`);
  }
  return withTraits(fn, { timeoutMs });
}

/**
 * Adds the description that models read wherever the function is a tool. Returns the same function.
 *
 * @internal
 */
export function defined<F extends Function>(fn: F, definition: Definition): F {
  traitsOf.set(fn, { ...traitsIn(fn), definition });
  return fn;
}

/**
 * Adds what a function takes, for type checks. Returns the same function.
 *
 * @internal
 */
export function withInputs<F extends Function>(fn: F, inputs: Inputs): F {
  traitsOf.set(fn, { ...traitsIn(fn), inputs });
  return fn;
}

/**
 * Returns a function that does the same as `fn`. It is a new function, because `fn` itself may also be a tool without
 * these traits.
 *
 * @internal
 */
export function withTraits<T extends Function>(fn: T, traits: Traits): T {
  if (typeof fn !== 'function') throw new TypeError(`fn must be a function, got ${describe(fn)}`);
  refuseOtherMarks(`the function ${fn.name}`, fn, [], NO_MARKS);
  const plain: (this: unknown, ...args: unknown[]) => unknown = function (...args) {
    return Reflect.apply(fn, this, args);
  };
  const later: (this: unknown, ...args: unknown[]) => Promise<unknown> = async function (...args) {
    return Reflect.apply(fn, this, args);
  };
  const made = isAsyncFunction(fn) ? later : plain;
  const { name, length } = fn;
  Object.defineProperties(made, {
    name: { value: name, configurable: true },
    length: { value: length, configurable: true },
  });
  const all = { ...traitsIn(fn), ...traits };
  traitsOf.set(made, all);
  Object.defineProperty(made, TRAITS, { value: all });
  // It has the same parameters, name and result as `fn`.
  return made as Function as T;
}

/** @internal */
export function traitsIn(fn: Function): Traits | undefined {
  return traitsOf.get(fn) ?? (Object.hasOwn(fn, TRAITS) ? (fn as { [TRAITS]?: Traits })[TRAITS] : undefined);
}

/**
 * V8 treats an async generator as an async function, but it does not return a promise.
 *
 * @internal
 */
export function isAsyncFunction(fn: Function): boolean {
  return types.isAsyncFunction(fn) && !types.isGeneratorFunction(fn);
}
