import { types } from 'node:util';

import { NO_MARKS, refuseOtherMarks } from './approval-marks';
import { className, describe, isClass, isPlainObject, memberPath } from './describe';
import { RESERVED_PREFIX } from './identifiers';
import { isAsyncFunction, traitsIn } from './tool-traits';
import type { Definition, InDoubt, Inputs, Revert } from './tool-traits';
import type { NativeTool } from '../../native';

/** A host function that guests can call. */
export interface Tool {
  /** keys from the guest's global down to the function */
  path: string[];
  fn: (...args: never[]) => unknown;
  /** the namespace object that holds the function */
  self: unknown;
  /** whether guests get a promise immediately */
  isAsync: boolean;
  /** whether guests wait for the result of a promise that it returns */
  isBlocking: boolean;
  /** its own time limit, if not that of the run */
  timeoutMs?: number;
  /** what a recorded session does with a call that had begun when the process ended */
  inDoubt?: InDoubt;
  /** whether a recorded session does not keep its results */
  isUnrecorded?: boolean;
  /** undoes a call in a recorded session */
  revert?: Revert;
  /** whether globals of guests call it: not a tool for anybody else */
  isService?: boolean;
  /** whether it makes requests for the guest's `fetch`, which gives it other arguments than the program */
  isRequest?: boolean;
  /** whether this package offers it to programs, without an effect outside */
  isHelper?: boolean;
  /** whether it is a helper that answers questions about tools */
  isLookup?: boolean;
  definition?: Definition;
  inputs?: Inputs;
  length: number;
  /** whether it is a function of a module, and not a global of guests */
  isOfModule?: boolean;
}

/** The name under which Python's prelude has the function that makes requests (`lib/python/prelude/72_network.py`). */
export const PYTHON_REQUEST = '__smolagents_fetch__';

/** The name of the requests of guests in calls, plans and traces. */
export const REQUESTS = 'fetch';

/** The name of a function for the host: in calls, plans and traces. */
export function nameOfTool({ path, isRequest = false }: Pick<Tool, 'path' | 'isRequest'>): string {
  return isRequest ? REQUESTS : path.join('.');
}

/** Functions that globals of guests call, by their numbers from `FIRST_SERVICE` on. */
const SERVICES = ['wake', REQUESTS, 'cancel'];
const FIRST_SERVICE = 2 ** 31;

function serviceId(name: string) {
  return FIRST_SERVICE + SERVICES.indexOf(name);
}

/**
 * The path of a function that globals of guests call, or Python's prelude; undefined for others.
 *
 * @param path the path that the guest knows, if the function was sent
 */
export function servicePath(id: number, path?: readonly string[]): string[] | undefined {
  const name = path?.[0] === PYTHON_REQUEST ? REQUESTS : SERVICES[id - FIRST_SERVICE];
  return name === undefined ? undefined : [name];
}

/**
 * What a recorded call has called.
 *
 * @param sent tools that were sent, with their numbers
 * @returns the path, and whether a global or Python's prelude has made the call; undefined for a number that is not
 *   known
 */
export function calledAt(id: number, sent: readonly { id: number; path: string[] }[]) {
  const known = sent.find((tool) => tool.id === id)?.path;
  const ofGlobal = servicePath(id, known);
  const path = ofGlobal ?? known;
  return path === undefined ? undefined : { path, isOfGlobal: ofGlobal !== undefined };
}

/** Names that the realm reserves, or that the language does not allow to change. */
const RESERVED = new Set(['console', 'harden', 'globalThis', 'undefined', 'NaN', 'Infinity']);
const MAX_TOOLS = 10_000;
const MAX_DEPTH = 32;

/**
 * The functions of `tools`, at any depth of plain namespace objects.
 *
 * A top-level `final_answer` is left out: the executor's own takes precedence.
 *
 * @throws {TypeError | RangeError} with the path of a value that is neither a function nor a namespace
 */
export function flattenTools(tools: unknown): Tool[] {
  refuseNoTools(tools);
  const found: Tool[] = [];
  for (const name of Object.keys(tools)) {
    if (name === 'final_answer') continue;
    refuseReservedName(name, 'tools');
    flattenInto(found, tools, name, [], 'tools');
  }
  for (const { path, fn } of found) {
    const name = path.reduce(memberPath, 'tools');
    // Every call of a class would fail.
    if (isClass(fn)) throw new TypeError(`${name} must be a function, got a class`);
    refuseOtherMarks(name, fn, [], NO_MARKS);
  }
  return found;
}

/** @throws {TypeError} if `tools` is not a plain object */
export function refuseNoTools(tools: unknown): asserts tools is Record<string, unknown> {
  if (!isPlainObject(tools)) throw new TypeError(`tools must be an object of functions, got ${describeHolder(tools)}`);
}

/**
 * Describes a value that was given in place of a plain object of functions. The methods of an instance are not its own
 * properties, and need it as `this`.
 */
export function describeHolder(value: unknown) {
  if (typeof value !== 'object' || value === null || types.isProxy(value) || Array.isArray(value))
    return describe(value);
  const isOwn = isClass(value.constructor);
  return `an instance of ${className(value)}${isOwn ? '; pass its methods, bound to it' : ''}`;
}

/**
 * Adds the function at `holder[key]`, or those of the namespace there, to `found`.
 *
 * @param ancestors namespaces on the way to `holder`
 * @param root how messages name the outermost object
 * @param parents keys on the way to `holder`
 */
export function flattenInto(
  found: Tool[],
  holder: Record<string, unknown>,
  key: string,
  ancestors: Record<string, unknown>[],
  root: string,
  parents: string[] = [],
) {
  const path = [...parents, key];
  const text = () => path.reduce(memberPath, root);
  const value = read(holder, key, text);
  if (typeof value === 'function') {
    if (found.length === MAX_TOOLS) throw new RangeError(`${root} must hold at most ${MAX_TOOLS} functions`);
    found.push(toolOf(path, value as Tool['fn'], holder));
    return;
  }
  if (!isPlainObject(value)) {
    throw new TypeError(`${text()} must be a function or a plain object of functions, got ${describeHolder(value)}`);
  }
  const inside = [...ancestors, holder];
  if (inside.includes(value)) throw new TypeError(`${text()} must not contain itself`);
  if (path.length === MAX_DEPTH) throw new RangeError(`${text()} must be nested at most ${MAX_DEPTH} deep`);
  const keys = Object.keys(value);
  // Otherwise the guest would keep its earlier namespace of that name.
  if (keys.length === 0) throw new TypeError(`${text()} must hold at least one function`);
  for (const inner of keys) flattenInto(found, value, inner, inside, root, path);
}

function toolOf(path: string[], fn: Tool['fn'], self: unknown): Tool {
  const {
    isBlocking = false,
    isHelper,
    isLookup,
    timeoutMs,
    inDoubt,
    isUnrecorded,
    revert,
    definition,
    inputs,
  } = traitsIn(fn) ?? {};
  const { length } = fn;
  return {
    path,
    fn,
    self,
    isAsync: !isBlocking && isAsyncFunction(fn),
    isBlocking,
    timeoutMs,
    inDoubt,
    isUnrecorded,
    revert,
    isHelper,
    isLookup,
    definition,
    inputs,
    length: Number.isInteger(length) && length >= 0 ? Math.min(length, 255) : 0,
  };
}

/** Whether `value` is an object of functions and of further such objects, and nothing else. */
export function isNamespace(value: unknown, depth: number = 0): boolean {
  if (!isPlainObject(value) || depth === MAX_DEPTH) return false;
  const items = Object.values(value);
  return items.length > 0 && items.every((item) => typeof item === 'function' || isNamespace(item, depth + 1));
}

function read(holder: Record<string, unknown>, key: string, text: () => string) {
  try {
    return holder[key];
  } catch (error) {
    throw new TypeError(`${text()} cannot be read: its getter throws`, { cause: error });
  }
}

/** @throws {TypeError} */
export function refuseReservedName(name: string, root: string) {
  if (RESERVED.has(name) || name.startsWith(RESERVED_PREFIX)) {
    throw new TypeError(`${memberPath(root, name)} must have another name: \`${name}\` is reserved`);
  }
}

/** The host functions of one executor, by the number that the guest calls them by. */
export class ToolRegistry {
  #tools: Map<number, Tool> = new Map();
  /** Numbers by top-level name, then by path. A function that replaces another one takes its number. */
  #numbers: Map<string, Map<string, number>> = new Map();
  #next = 0;
  /** Functions of this package, by reserved names. They take the place of what is sent under these names. */
  #own: Map<string, Tool> = new Map();
  /** Called with tools that the guest keeps and whose functions are others now. */
  onBound: ((tools: Tool[]) => void) | undefined;

  get(id: number) {
    return this.#tools.get(id);
  }

  /**
   * Assigns numbers to tools and returns their descriptions for the native side. Tools cannot be called before
   * `commit`, which the caller calls once the guest has them. At that time, earlier tools with the same top-level names
   * are revoked, even for guest code that has kept a reference.
   */
  stage(tools: Tool[]): { specs: NativeTool[]; commit: () => void } {
    const fresh: Map<string, Map<string, number>> = new Map();
    const specs = tools.map((tool) => {
      const [name] = tool.path;
      const key = JSON.stringify(tool.path);
      const known = this.#numbers.get(name) ?? new Map();
      const id = known.get(key) ?? this.#next++;
      this.#numbers.set(name, known.set(key, id));
      fresh.set(name, (fresh.get(name) ?? new Map()).set(key, id));
      return specOf(tool, id);
    });
    const commit = () => {
      for (const [name, numbers] of fresh) {
        for (const id of this.#numbers.get(name)?.values() ?? []) this.#tools.delete(id);
        this.#numbers.set(name, numbers);
      }
      tools.forEach((tool, index) => this.#tools.set(specs[index].id, this.ownAt(tool.path) ?? tool));
    };
    return { specs, commit };
  }

  /** Takes over the tools that the guest of a recorded session has, with their numbers. */
  adopt(known: { id: number; tool: Tool }[]) {
    for (const { id, tool } of known) {
      const [name] = tool.path;
      this.#numbers.set(name, (this.#numbers.get(name) ?? new Map()).set(JSON.stringify(tool.path), id));
      this.#tools.set(id, tool);
      this.#next = Math.max(this.#next, id + 1);
    }
  }

  /**
   * Gives tools that the guest has their functions.
   *
   * @returns whether the guest has all of them, and no others with the same top-level names
   */
  bind(tools: Tool[]) {
    const found = tools.map((tool) => [this.#numbers.get(tool.path[0])?.get(JSON.stringify(tool.path)), tool] as const);
    for (const [id, tool] of found) if (id !== undefined) this.#tools.set(id, tool);
    const names = new Set(tools.map(({ path }) => path[0]));
    const count = [...names].reduce((sum, name) => sum + (this.#numbers.get(name)?.size ?? 0), 0);
    const hasAll = count === tools.length && found.every(([id]) => id !== undefined);
    if (hasAll) this.onBound?.(tools);
    return hasAll;
  }

  /** Registers functions of a module. They stay as long as the executor. */
  add(tools: Tool[]) {
    return tools.map((tool) => {
      const id = this.#next++;
      this.#tools.set(id, { ...tool, isOfModule: true });
      return specOf(tool, id);
    });
  }

  /** Registers functions that globals of guests call. Their numbers are the same in all sessions. */
  addServices(tools: Tool[]) {
    return tools.map((tool) => {
      const id = serviceId(tool.path[0]);
      this.#tools.set(id, tool);
      return specOf(tool, id);
    });
  }

  /** Registers a function of this package, which guests get when something is sent under its reserved name. */
  addOwn(tool: Tool) {
    this.#own.set(tool.path[0], tool);
  }

  ownAt(path: readonly string[]): Tool | undefined {
    return this.#own.get(path[0]);
  }

  /** The descriptions of the committed tools for the native side. */
  specs() {
    return this.#committed().map(([id, tool]) => specOf(tool, id));
  }

  /** The committed tools. */
  list() {
    return this.#committed().map(([, tool]) => tool);
  }

  #committed(): [id: number, tool: Tool][] {
    const ids = [...this.#numbers.values()].flatMap((numbers) => [...numbers.values()]);
    return ids.flatMap((id) => {
      const tool = this.#tools.get(id);
      return tool === undefined ? [] : [[id, tool] as [number, Tool]];
    });
  }

  /** Removes all tools that `stage` has numbered. */
  clear() {
    for (const numbers of this.#numbers.values()) for (const id of numbers.values()) this.#tools.delete(id);
    this.#numbers.clear();
  }
}

function specOf({ path, isAsync, length, timeoutMs }: Tool, id: number) {
  return { path, id, isAsync, length, isLimited: timeoutMs !== undefined };
}
