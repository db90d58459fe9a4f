import { isSchema, requirementsOf, resolve, typeContext, typeText } from '../catalog/schema-types';
import { WorkBudget, inSlices } from '../contract/budget';
import { isBindable, isBuiltIn, isIdentifier } from '../contract/identifiers';
import { GUEST_GLOBALS, OPTIONAL_GLOBALS } from './guest-globals';
import type { Tool } from '../contract/tool-registry';
import type { Definition, Inputs } from '../contract/tool-traits';

/** What a global of guests is: tools, with their paths, or a variable with its type. */
export type HostValue = Tool[] | string;

/** Globals beyond this length of the declarations may be anything. */
const MAX_CHARS = 4 << 20;
const MANY_CHARS = 256 << 10;
/** Units of work for a tool: its schemas can be large. */
const STEPS_PER_TOOL = 64;
/** Types that schemas of smolagents name, members that V8 adds, and proxies, which have what their handlers return. */
const HEAD = `type image = any; type audio = any;
interface ErrorConstructor { captureStackTrace(target: any, caller?: any): void; stackTraceLimit: number }
interface ProxyConstructor { new (target: any, handler: any): any }`;

/** Declarations of tools take time, and executors get the same tools again. */
const typesOf: WeakMap<Definition | Inputs, FunctionTypes> = new WeakMap();

interface FunctionTypes {
  /** Of each overload. */
  parameters: string[];
  result: string;
}

/** Whether a global can be declared: others are reached through `globalThis`, or have another meaning in TypeScript. */
export function isDeclarable(name: string) {
  return isBindable(name) && !isBuiltIn(name);
}

/**
 * The declarations of the globals of guests. Works in slices between turns of the event loop.
 *
 * @param globals the option of executors
 */
export function declarations(values: ReadonlyMap<string, HostValue>, globals: readonly string[] = []): Promise<string> {
  const budget = new WorkBudget({ parts: Infinity });
  return inSlices(declaring(values, globals, budget), budget);
}

function* declaring(
  values: ReadonlyMap<string, HostValue>,
  globals: readonly string[],
  budget: WorkBudget,
): Generator<void, string, void> {
  const declared = [HEAD];
  const groups = globals.flatMap((group) => [...(OPTIONAL_GLOBALS.get(group) ?? [])]);
  for (const [name, text] of [...GUEST_GLOBALS, ...groups]) if (!values.has(name)) declared.push(text);
  let chars = 0;
  for (const [name, value] of values) {
    if (!isDeclarable(name)) continue;
    // The types of tools are kept, so that the declaration of a namespace takes little time.
    for (const tool of typeof value === 'string' ? [] : value) {
      signatures(tool);
      budget.spend(STEPS_PER_TOOL);
      if (budget.shouldPause) yield;
    }
    budget.spend(1);
    if (budget.shouldPause) yield;
    const text = declaration(name, value);
    chars += text.length;
    declared.push(chars > MAX_CHARS ? `declare let ${name}: any;` : text);
  }
  // What follows copies the text several times.
  if (chars > MANY_CHARS) yield;
  return declared.join('\n');
}

function declaration(name: string, value: HostValue) {
  if (typeof value === 'string') return `declare let ${name}: ${value};`;
  const [first] = value;
  if (first.path.length === 1) {
    return signatures(first)
      .map((signature) => `declare function ${name}${signature};`)
      .join('\n');
  }
  return `declare const ${name}: ${namespace(value, 1)};`;
}

/** The type of an object that contains functions. */
function namespace(tools: Tool[], depth: number): string {
  const members: Map<string, Tool[]> = new Map();
  for (const tool of tools) {
    const name = tool.path[depth];
    const inner = members.get(name);
    if (inner === undefined) members.set(name, [tool]);
    else inner.push(tool);
  }
  const texts = [...members].map(([name, inner]) => {
    const key = isIdentifier(name) ? name : JSON.stringify(name);
    const isFunction = inner[0].path.length === depth + 1;
    if (!isFunction) return `${key}: ${namespace(inner, depth + 1)}`;
    return signatures(inner[0])
      .map((signature) => `${key}${signature}`)
      .join('; ');
  });
  return `{ ${texts.join('; ')} }`;
}

/** Parameters and result of each overload: `(args: { id: string }): Promise<number>`. */
function signatures({ definition, inputs, isAsync, isBlocking }: Tool) {
  // Other functions may return promises, or values.
  const result = (text: string) => (isAsync ? `Promise<${text}>` : isBlocking ? text : 'any');
  const described = definition ?? inputs;
  if (described === undefined) return [`(...args: any[]): ${result('any')}`];
  let types = typesOf.get(described);
  if (types === undefined) typesOf.set(described, (types = functionTypes(described)));
  const { parameters, result: type } = types;
  return parameters.map((text) => `(${text}): ${result(type)}`);
}

function functionTypes(described: Definition | Inputs): FunctionTypes {
  if ('inputs' in described) {
    return { parameters: namedOrPositional(described.inputs), result: type(described.output) };
  }
  const { inputSchema, outputSchema } = described;
  return {
    parameters: [`args${isOptional(inputSchema) ? '?' : ''}: ${type(inputSchema)}`],
    result: type(outputSchema),
  };
}

/**
 * Parameters of a function that takes its inputs one by one, or as one object. No two overloads take the same number of
 * arguments, so that messages are about the one that is meant.
 */
function namedOrPositional(inputs: Inputs['inputs']): string[] {
  const names = Object.keys(inputs);
  if (names.length === 0) return [''];
  const isRequired = requirementsOf({ properties: inputs }, typeContext(inputs, false));
  const count = names.findLastIndex(isRequired) + 1;
  const parameter = (at: number, least: number, more: string = '') => {
    const name = isBindable(names[at]) ? names[at] : `argument${at + 1}`;
    return `${name}${at < least ? '' : '?'}: ${typeText(inputs[names[at]], typeContext(inputs, false))}${more}`;
  };
  const object = typeText({ type: 'object', properties: inputs }, typeContext(inputs, false));
  const single = count > 1 ? `args: ${object}` : parameter(0, count, ` | ${object}`);
  if (names.length === 1) return [single];
  return [single, names.map((_, at) => parameter(at, Math.max(count, 2))).join(', ')];
}

function type(schema: unknown) {
  return typeText(schema, typeContext(schema, true));
}

/** Whether a function can be called without its object. */
function isOptional(input: unknown) {
  const schema = resolve(input, input);
  if (!isSchema(schema)) return true;
  if (Array.isArray(schema.required) && schema.required.length > 0) return false;
  return ['anyOf', 'oneOf', 'allOf', 'enum', 'const'].every((keyword) => schema[keyword] === undefined);
}
