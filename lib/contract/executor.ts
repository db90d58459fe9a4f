import { memberPath } from './describe';
import { queueOf } from './executor-queue';
import { closest } from './options';
import type { ExecutorOptions } from './executor-options';
import type { Executor, GuestGlobal } from './executor-types';
import type { NetworkPolicy } from './network-policy';
import type { Tool } from './tool-registry';

/** The methods that callers of an executor use. */
const METHODS = ['init', 'sendVariables', 'sendTools', 'run', 'cleanup'];

/** Whether a value implements the contract of executors, judging by its methods. */
export function isExecutor(value: unknown): value is Executor {
  if (typeof value !== 'object' || value === null || typeof Reflect.get(value, 'state') !== 'string') return false;
  return METHODS.every((name) => typeof Reflect.get(value, name) === 'function');
}

/** Everything that guests of an executor can use, as far as it is known. */
export interface Offer {
  /** modules that they may import; undefined if it is unknown which ones exist */
  imports?: readonly string[];
  /** the option `globals`, and the hosts and methods of `network` */
  globals?: readonly GuestGlobal[];
  network?: Pick<NetworkPolicy, 'allow' | 'methods'> | undefined;
  /** the folder that they see, in Python */
  folder?: string;
  /** names of the variables that were sent */
  variables?: readonly string[];
  /** the tools that were sent, except those that one session sent for itself */
  tools?: Tool[];
}

const OFFER = Symbol('offer');

/** Registers the function that describes what guests of an executor of this class can use. */
export function describeOffer<T extends object>(prototype: T, offer: (executor: T) => Offer) {
  const get = function (this: T) {
    return offer(this);
  };
  Object.defineProperty(prototype, OFFER, { get, configurable: true });
}

/** @returns empty for an executor whose class has not registered a function */
export function offerOf(executor: Executor): Offer {
  const { tools, ...others } = (executor as { [OFFER]?: Offer })[OFFER] ?? {};
  return { ...others, ...(tools && { tools: tools.filter(({ path }) => !queueOf(executor).hasSent(path[0])) }) };
}

/** The programs that an isolate has run, as far as they are known. */
export interface KnownPrograms {
  /** undefined: unknown */
  texts: string[] | undefined;
  /** how the executor reads programs */
  options: Pick<ExecutorOptions, 'language' | 'maxCodeBytes'>;
}

const PROGRAMS = Symbol('programs');

/**
 * Registers the function that returns what the isolate of an executor has run. For executors that run JavaScript in
 * hardened realms: plans can be made for no others.
 */
export function describePrograms<T extends object>(prototype: T, programs: (executor: T) => KnownPrograms | undefined) {
  const get = function (this: T) {
    return programs(this);
  };
  Object.defineProperty(prototype, PROGRAMS, { get, configurable: true });
}

/** @returns undefined if plans cannot be made for the executor */
export function programsOf(executor: Executor): KnownPrograms | undefined {
  return (executor as { [PROGRAMS]?: KnownPrograms })[PROGRAMS];
}

/**
 * Refuses options next to an executor, which has its own options. Undefined options count as absent.
 *
 * @param own names of options that are allowed next to it, for messages
 * @throws {TypeError}
 */
export function refuseOtherOptions(others: object, own: readonly string[]) {
  const [name] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return;
  const close = closest(name, own);
  const reason =
    close === undefined
      ? 'is an option of executors: pass it where the executor is created'
      : `is not an option; did you mean ${memberPath('options', close)}?`;
  throw new TypeError(`${memberPath('options', name)} ${reason}`);
}
