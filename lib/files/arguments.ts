import { describe, isPlainObject } from '../contract/describe';
import type { Foreign } from '../contract/foreign';
import type { Input } from './definitions';

/**
 * The checked arguments of a call, by name. A call passes one object, or the first arguments by position. `null` counts
 * as absent.
 *
 * @returns `undefined` for absent arguments
 * @throws {TypeError | RangeError} naming tool and argument
 */
export function parseArguments(
  { name, inputs, positional }: { name: string; inputs: Record<string, Input>; positional: number },
  args: unknown[],
): Record<string, Foreign> {
  const given = isPlainObject(args[0]) ? named(name, inputs, args) : byPosition(name, inputs, positional, args);
  const checked: Record<string, Foreign> = {};
  for (const [key, input] of Object.entries(inputs)) {
    const value = given[key] ?? undefined;
    if (value !== undefined || input.nullable !== true) check(`${name}: ${key}`, input, value, given[key]);
    checked[key] = value;
  }
  return checked;
}

function named(name: string, inputs: Record<string, Input>, [object, ...rest]: unknown[]): Record<string, unknown> {
  if (rest.some((value) => value !== undefined)) {
    throw new TypeError(`${name}: pass one object of arguments, or arguments by position, not both`);
  }
  // A copy, so that each getter runs once.
  const given = { ...(object as Record<string, unknown>) };
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(inputs, key));
  if (unknown !== undefined) {
    throw new TypeError(`${name}: ${describe(unknown)} is not an argument; they are ${Object.keys(inputs).join(', ')}`);
  }
  return given;
}

function byPosition(
  name: string,
  inputs: Record<string, Input>,
  positional: number,
  args: unknown[],
): Record<string, unknown> {
  const keys = Object.keys(inputs);
  if (args.slice(positional).some((value) => value !== undefined)) {
    const others = keys.length > positional ? `; pass one object for ${keys.slice(positional).join(', ')}` : '';
    const count = `at most ${positional} argument${positional === 1 ? '' : 's'} by position`;
    throw new TypeError(`${name}: takes ${count} (${keys.slice(0, positional).join(', ')})${others}`);
  }
  return Object.fromEntries(args.slice(0, positional).map((value, index) => [keys[index], value]));
}

/** @param given the same arguments, before `null` became `undefined` */
function check(where: string, { type, minimum = 0 }: Input, value: unknown, given: unknown) {
  if (type === 'integer') {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum) return;
    const message = `${where} must be an integer from ${minimum} to 2^53 - 1, got ${describe(given)}`;
    throw typeof value === 'number' ? new RangeError(message) : new TypeError(message);
  }
  if (typeof value !== type) throw new TypeError(`${where} must be a ${type}, got ${describe(given)}`);
}
