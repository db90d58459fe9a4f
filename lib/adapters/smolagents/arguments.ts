import { describe, isBeyondNumbers, isPlainObject, memberPath } from '../../contract/describe';
import type { Foreign } from '../../contract/foreign';

/** One input of a tool, as smolagents describes it. */
export type Input = Record<string, Foreign>;

export type Inputs = Record<string, Input>;

/**
 * Maximum number of parts and alternatives of one argument that are checked, because the check runs in one turn of the
 * event loop.
 */
const MAX_STEPS = 100_000;

/** Types of inputs, with a check for values of each type. */
const TYPES = new Map([
  ['string', { expected: 'a string', accepts: (value: unknown) => typeof value === 'string' }],
  ['boolean', { expected: 'a boolean', accepts: (value: unknown) => typeof value === 'boolean' }],
  ['number', { expected: 'a number', accepts: (value: unknown) => typeof value === 'number' }],
  ['integer', { expected: 'an integer', accepts: Number.isInteger }],
  ['array', { expected: 'an array', accepts: Array.isArray }],
  ['list', { expected: 'an array', accepts: Array.isArray }],
  ['object', { expected: 'an object', accepts: isPlainObject }],
  ['dict', { expected: 'an object', accepts: isPlainObject }],
  ['null', { expected: 'null', accepts: (value: unknown) => value === null }],
  ['any', { expected: 'any value', accepts: () => true }],
  ['image', { expected: 'an image', accepts: isPresent }],
  ['audio', { expected: 'audio', accepts: isPresent }],
]);

/** @throws {TypeError} for values that are not inputs, and for unknown types */
export function checkInputs(inputs: unknown, path: string): Inputs {
  if (!isObject(inputs)) throw new TypeError(`${path} must be an object of inputs by name, got ${describe(inputs)}`);
  for (const [name, input] of Object.entries(inputs as object)) {
    const at = memberPath(path, name);
    if (!isObject(input)) throw new TypeError(`${at} must be an object with a type, got ${describe(input)}`);
    for (const type of typesOf(input)) {
      if (TYPES.has(type)) continue;
      throw new TypeError(`${at}.type must be one of ${[...TYPES.keys()].join(', ')}, got ${describe(type)}`);
    }
  }
  return inputs as Inputs;
}

/**
 * Converts the arguments of a guest's call to the one object that `forward` takes. The arguments are positional, or one
 * object that names them. Omitted inputs receive their default, or `null`.
 *
 * @throws {TypeError} that names the tool and the argument
 */
export function bindArguments(tool: string, inputs: Inputs, args: unknown[]): Record<string, unknown> {
  const names = Object.keys(inputs);
  const given = isNamed(inputs, args) ? namedArguments(tool, names, args[0]) : positional(tool, names, args);
  const bound: [string, unknown][] = names.map((name) => [name, valueOf(tool, name, inputs[name], given.get(name))]);
  return Object.fromEntries(bound);
}

/**
 * Whether a call names its arguments: its only argument is a plain object. If the first input may be an object itself,
 * the argument must contain all required inputs and no unknown keys.
 */
function isNamed(inputs: Inputs, args: unknown[]) {
  const [object] = args;
  const names = Object.keys(inputs);
  if (args.length !== 1 || !isPlainObject(object) || names.length === 0) return false;
  if (mayBeObject(inputs[names[0]])) {
    const keys = Object.keys(object);
    const hasRequired = names.every((name) => Object.hasOwn(object, name) || !isRequired(inputs[name]));
    return keys.length > 0 && keys.every((key) => Object.hasOwn(inputs, key)) && hasRequired;
  }
  return true;
}

function mayBeObject(input: Input): boolean {
  if (Array.isArray(input.anyOf)) return input.anyOf.some(mayBeObject);
  const types = typesOf(input);
  return types.length === 0 || types.some((type) => TYPES.get(type)?.accepts({}));
}

function namedArguments(tool: string, names: string[], object: unknown) {
  const given = new Map(Object.entries(object as object));
  for (const key of given.keys()) {
    if (names.includes(key)) continue;
    throw new TypeError(`${tool} has no argument ${JSON.stringify(key)}; ${signature(names)}`);
  }
  return given;
}

function positional(tool: string, names: string[], args: unknown[]): Map<string, unknown> {
  if (args.length > names.length) {
    throw new TypeError(`${tool} was called with ${args.length} arguments; ${signature(names)}`);
  }
  return new Map(args.map((value, index) => [names[index], value]));
}

function signature(names: string[]) {
  if (names.length === 0) return 'it takes none';
  return `it takes (${names.join(', ')}) or one object ({ ${names.join(', ')} })`;
}

function valueOf(tool: string, name: string, input: Input, value: unknown) {
  if (value === undefined) {
    if (input.default !== undefined) return structuredClone(input.default);
    if (isRequired(input)) {
      const about = typeof input.description === 'string' ? `: ${input.description}` : '';
      throw new TypeError(`${tool} needs the argument ${JSON.stringify(name)}, ${expectation(input)}${about}`);
    }
    return null;
  }
  const wrong = mismatch(input, value, name, { steps: MAX_STEPS });
  if (wrong === undefined) return value;
  const got = isBeyondNumbers(wrong.value)
    ? 'an integer beyond 2^53, which cannot be given to this tool'
    : describe(wrong.value);
  throw new TypeError(`${tool}: the argument ${wrong.path} must be ${wrong.expected}, got ${got}`);
}

function isRequired(input: Input) {
  return input.default === undefined && input.nullable !== true;
}

/**
 * Finds the part of a value that does not match the input: the value itself, or a part of it.
 *
 * @param left the number of further parts and alternatives that may be checked
 */
function mismatch(
  input: Input,
  value: unknown,
  path: string,
  left: { steps: number },
): { path: string; expected: string; value: unknown } | undefined {
  left.steps--;
  if (left.steps < 0)
    throw new TypeError(`the argument ${path} is too large to be checked in one step; pass less at a time`);
  if (value === null && input.nullable === true) return undefined;
  const types = typesOf(input);
  const isOfType = types.length === 0 || types.some((type) => TYPES.get(type)?.accepts(value) ?? true);
  const isAlternative = !Array.isArray(input.anyOf) || input.anyOf.some((each) => !mismatch(each, value, path, left));
  const isListed = !Array.isArray(input.enum) || input.enum.includes(value);
  if (!isOfType || !isAlternative || !isListed) return { path, expected: expectation(input), value };
  return Array.isArray(value) ? itemMismatch(input, value, path, left) : memberMismatch(input, value, path, left);
}

function itemMismatch({ items }: Input, value: unknown[], path: string, left: { steps: number }) {
  if (!isObject(items)) return undefined;
  for (const [index, item] of value.entries()) {
    const wrong = mismatch(items, item, `${path}[${index}]`, left);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function memberMismatch({ properties, required }: Input, value: Foreign, path: string, left: { steps: number }) {
  if (!isObject(properties) || !isPlainObject(value)) return undefined;
  const names = Array.isArray(required) ? new Set(required) : undefined;
  for (const [key, property] of Object.entries(properties as Inputs)) {
    const member = Object.hasOwn(value, key) ? value[key] : undefined;
    const mayMiss = names === undefined ? !isRequired(property) : !names.has(key);
    if (member === undefined && mayMiss) continue;
    const wrong = mismatch(property, member, memberPath(path, key), left);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** The types of an input. Empty if any type is allowed, or if `anyOf` specifies the types. */
function typesOf({ type, anyOf }: Input): string[] {
  if (type === undefined || Array.isArray(anyOf)) return [];
  return Array.isArray(type) ? type : [type];
}

/** A description of the values that an input expects. */
function expectation(input: Input): string {
  const { anyOf, enum: values, nullable } = input;
  const described = Array.isArray(values)
    ? values.map((value) => JSON.stringify(value))
    : Array.isArray(anyOf)
      ? anyOf.map(expectation)
      : typesOf(input).map((type) => TYPES.get(type)?.expected ?? type);
  if (described.length === 0) described.push('any value');
  return [...new Set(nullable === true ? [...described, 'null'] : described)].join(' or ');
}

function isObject(value: unknown) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPresent(value: unknown) {
  return value !== undefined && value !== null;
}
