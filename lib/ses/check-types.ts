import { INPUT_KEYS, OUTPUT_KEYS, inputSchemaOf, outputSchemaOf } from '../catalog/tool-schemas';
import { WorkBudget, inSlices } from '../contract/budget';
import { describe, isPlainObject } from '../contract/describe';
import { isIdentifier } from '../contract/identifiers';
import { checkOptions, record } from '../contract/options';
import { isStandardSchema, ownConverter } from '../contract/own-json-schema';
import { toolIdentifier } from '../contract/tool-names';
import { flattenTools, isNamespace, refuseNoTools } from '../contract/tool-registry';
import { defined } from '../contract/tool-traits';
import { namesOfVariables } from '../contract/variables';
import { programText } from './program-text';
import { typecheck } from './type-checks';
import type { Diagnostic } from '../contract/diagnostic';
import type { Language, Modules } from '../contract/executor-options';
import type { GuestGlobal } from '../contract/executor-types';
import type { Foreign } from '../contract/foreign';
import type { Tool } from '../contract/tool-registry';

/** Options of {@link checkTypes}: what the checked code can use. */
export interface CheckTypesOptions {
  /**
   * Tools by name, or a list of tools with names: functions, namespaces of functions, and definitions, as `SESExecutor`
   * and code tools take them. Schemas are JSON Schema, or convert themselves to it, as those of zod 4.2 and later do.
   * Nothing is called.
   */
  tools?: Readonly<Record<string, unknown>> | readonly object[] | undefined;
  /** Variables by name. Their types follow from their values. */
  variables?: Readonly<Record<string, unknown>> | undefined;
  /** As the option of executors. */
  authorizedImports?: readonly string[] | undefined;
  /** As the option of executors. */
  globals?: readonly GuestGlobal[] | undefined;
  /** As the option of executors. */
  modules?: Modules | undefined;
  /** As the option of executors. */
  language?: Language | undefined;
}

const OPTIONS = ['tools', 'variables', 'authorizedImports', 'globals', 'modules', 'language'];
/** Units of work for a tool: its schemas can be large. */
const STEPS_PER_TOOL = 64;
const MANY_TOOLS = 1_000;
const KEYS: readonly string[] = ['description', 'execute', ...INPUT_KEYS, ...OUTPUT_KEYS];

/**
 * Checks the types of code without running it, as the option `typecheck` of executors does. Needs the package
 * `typescript`, version 5 or later. The check runs on another thread.
 *
 * @returns the mistakes that would make the code fail, or that would pass wrong data to a tool, sorted by position.
 *   Empty for code that does not parse: {@link validateCode} reports that. If the check takes too long, the only
 *   finding is the WARNING `types_not_checked`.
 * @throws `TypeError` or `RangeError` for wrong arguments, and `Error` if `typescript` is not installed
 *
 * @example
 * ```js
 * const search = { inputSchema: { type: 'object', properties: { query: { type: 'string' } } } };
 * const [{ message }] = await checkTypes('await search({ querry: "x" })', { tools: { search } });
 * ```
 */
export async function checkTypes(code: string, options?: CheckTypesOptions): Promise<Diagnostic[]> {
  if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
  const { tools = {}, variables = {}, ...others } = record(options, 'options', OPTIONS);
  const { authorizedImports, globals, modules, language } = checkOptions(others, OPTIONS);
  const named = namedTools(tools);
  const { diagnosticsOf, notChecked, typeOfValue, TypeSession } = typecheck();
  const names = namesOfVariables(variables);
  const session = new TypeSession(modules, authorizedImports, language, globals);
  const budget = new WorkBudget({ parts: Infinity });
  const types = await inSlices(typing(variables, names, typeOfValue, budget), budget);
  session.setVariables(types);
  const functions = await inSlices(flattening(named, budget), budget);
  session.setTools(functions);
  const { code: source } = programText(code);
  const checked = await session.check(source, language, false);
  if ('skipped' in checked) return [notChecked(checked.skipped)];
  return diagnosticsOf(checked.findings, source, 'ERROR', {
    functions: namesOf(functions),
    lookups: undefined,
    imports: authorizedImports,
    globals,
  });
}

function namesOf(functions: readonly Tool[]) {
  return functions.filter(({ path }) => path.every(isIdentifier)).map(({ path }) => path.join('.'));
}

/** @throws {TypeError} */
function namedTools(tools: Foreign): (readonly [name: string, tool: Foreign])[] {
  if (Array.isArray(tools)) return tools.map((tool) => [nameOf(tool), tool] as const);
  refuseNoTools(tools);
  return Object.entries(tools);
}

/** The types of variables by their names. */
function* typing(
  variables: Foreign,
  names: readonly string[],
  typeOfValue: (value: unknown) => string,
  budget: WorkBudget,
): Generator<void, Map<string, string>, void> {
  const types: Map<string, string> = new Map();
  for (const name of names) {
    types.set(name, typeOfValue(variables[name]));
    if (budget.isSliceOver()) yield;
  }
  return types;
}

/** Tools in the form that executors take. Definitions become functions that are never called. */
function* flattening(named: ReturnType<typeof namedTools>, budget: WorkBudget): Generator<void, Tool[], void> {
  const functions: Tool[] = [];
  for (const [name, tool] of named) {
    const own = isDefinition(tool) ? { [toolIdentifier(name)]: functionOf(name, tool) } : { [name]: tool };
    for (const fn of flattenTools(own)) functions.push(fn);
    budget.spend(STEPS_PER_TOOL);
    if (budget.shouldPause) yield;
  }
  // The rest takes a few milliseconds for thousands of tools.
  if (functions.length > MANY_TOOLS) yield;
  return functions;
}

function nameOf(tool: Foreign): string {
  const { id, name = id } = Object(tool);
  if (typeof name === 'string' && name !== '') return name;
  throw new TypeError(`a tool in options.tools must have a name, a non-empty string, got ${describe(name)}`);
}

function isDefinition(tool: Foreign) {
  if (!isPlainObject(tool) || !KEYS.some((key) => key in tool)) return false;
  return typeof tool.execute === 'function' || !isNamespace(tool) || isStandardSchema(inputSchemaOf(tool));
}

/** Callers check several programs with the same tools. */
const functions: WeakMap<object, () => Promise<void>> = new WeakMap();

function functionOf(name: string, tool: Foreign) {
  let made = functions.get(tool);
  if (made === undefined) {
    made = defined(async () => {}, {
      description: '',
      inputSchema: plain(inputSchemaOf(tool) ?? { type: 'object' }, 'input', name) ?? {},
      outputSchema: plain(outputSchemaOf(tool) ?? {}, 'output', name) ?? {},
    });
    functions.set(tool, made);
  }
  return made;
}

/** @throws {TypeError} for a schema of a library that does not convert itself */
function plain(schema: Foreign, side: 'input' | 'output', tool: string): Foreign {
  if (!isStandardSchema(schema)) return schema;
  const convert = ownConverter(schema, side);
  if (convert !== undefined) return convert();
  const { vendor } = schema['~standard'];
  throw new TypeError(`the ${side} schema of the tool ${tool} is a schema of ${vendor}; pass its JSON Schema instead`);
}
