import { refuseOtherMarks } from '../../contract/approval-marks';
import { describe, isClass, isPlainObject, memberPath } from '../../contract/describe';
import { defineMember } from '../../contract/tool-names';
import { withInputs } from '../../contract/tool-traits';
import { AGENT_INPUTS } from '../prompts/agent-inputs';
import { bindArguments, checkInputs } from './arguments';
import { namedArguments } from '../../python/named-arguments';
import type { Foreign } from '../../contract/foreign';
import type { SmolagentsTools } from './tool-types';
import type { Tools } from '../../contract/tool-types';
import type { Inputs } from './arguments';

/**
 * Converts tools to functions for `SESExecutor.sendTools`.
 *
 * A tool can be called with positional arguments in the order of its inputs, or with one plain object that names them:
 * `search('x', 3)`, `search({ query: 'x', limit: 3 })`. If the first input may be an object itself, a single object is
 * ambiguous. It is treated as named arguments only if it contains all required inputs and no unknown keys. With
 * `save(record)`, both `save({ a: 1 })` and `save({ record: { a: 1 } })` pass the record.
 *
 * Omitted inputs receive a copy of their `default`, or `null` if they are `nullable`. An argument that is missing,
 * unknown or of a wrong type throws a `TypeError` in guest code that names the tool and the argument. `forward` is not
 * called then.
 *
 * @throws `TypeError` that names the path of a value that is not a tool, and for unknown types of inputs
 */
export function toHostTools(tools: SmolagentsTools): Tools {
  return hostTools(tools, bindArguments);
}

/**
 * The same for Python, whose calls pass positional arguments first and then keyword arguments.
 *
 * @internal
 */
export function toPythonTools(tools: SmolagentsTools) {
  return hostTools(tools, (name, inputs, args) =>
    bindArguments(name, inputs, args.length > 1 ? [namedArguments(Object.keys(inputs), args)] : args),
  );
}

function hostTools(tools: SmolagentsTools, bind: typeof bindArguments): Tools {
  if (Array.isArray(tools)) return fromList(tools, bind);
  if (tools instanceof Map) return fromEntries([...tools], 'tools', bind);
  if (!isPlainObject(tools)) {
    throw new TypeError(`tools must be an array, a map or an object of tools by name, got ${describe(tools)}`);
  }
  return fromEntries(Object.entries(tools), 'tools', bind);
}

function fromList(tools: readonly Foreign[], bind: typeof bindArguments) {
  const functions: Tools = {};
  tools.forEach((tool, index) => {
    const path = `tools[${index}]`;
    const name = tool?.name;
    if (typeof name !== 'string' || name === '') {
      throw new TypeError(`${path}.name must be a non-empty string, got ${describe(name)}`);
    }
    place(functions, name.split('.'), hostTool(tool, path, bind), path);
  });
  return functions;
}

/** Places a function at the path that its dotted name specifies. */
function place(root: Record<string, Foreign>, keys: string[], value: unknown, path: string) {
  const last = keys.at(-1) as string;
  let holder = root;
  for (const key of keys.slice(0, -1)) {
    if (!Object.hasOwn(holder, key)) defineMember(holder, key, {});
    holder = holder[key];
    if (typeof holder !== 'object') throw new TypeError(`${path} is in a namespace that is a tool itself: ${key}`);
  }
  if (Object.hasOwn(holder, last)) throw new TypeError(`${path} has a name that another tool has: ${keys.join('.')}`);
  defineMember(holder, last, value);
}

function fromEntries(
  entries: readonly (readonly [string, Foreign])[],
  path: string,
  bind: typeof bindArguments,
): Tools {
  const functions: Tools = {};
  for (const [name, value] of entries) {
    const inner = memberPath(path, name);
    const isNamespace = isPlainObject(value) && !isTool(value) && !isAgent(value);
    defineMember(
      functions,
      name,
      isNamespace ? fromEntries(Object.entries(value), inner, bind) : hostTool(value, inner, bind),
    );
  }
  return functions;
}

function hostTool(tool: Foreign, path: string, bind: typeof bindArguments) {
  if (typeof tool === 'object' && tool !== null) refuseOtherMarks(path, tool, [], 'use the option onToolCall');
  if (isTool(tool)) return namedFunction(tool, checkInputs(tool.inputs, `${path}.inputs`), bind);
  if (isAgent(tool)) return namedFunction(agentTool(tool), AGENT_INPUTS, bind);
  if (isClass(tool)) throw new TypeError(`${path} is a class: pass an instance of it, made with \`new\``);
  if (typeof tool === 'function') return tool;
  throw new TypeError(
    `${path} must be a Tool with inputs and forward(args), an agent with run(task), or a function, got ${describe(tool)}`,
  );
}

function isTool(value: Foreign) {
  return typeof value === 'object' && value !== null && typeof value.forward === 'function' && 'inputs' in value;
}

function isAgent(value: Foreign) {
  return (
    typeof value === 'object' && value !== null && typeof value.run === 'function' && typeof value.name === 'string'
  );
}

/** Wraps a managed agent as a tool. Each call is a separate task. */
function agentTool(agent: Foreign) {
  return {
    name: agent.name,
    forward: ({ task, additional_args: args }: Foreign) =>
      agent.run(task, { additional_args: args ?? undefined, reset: true }),
  };
}

/** The function of a tool. It is an `async` function, so that guests receive a promise immediately. */
function namedFunction(tool: Foreign, inputs: Inputs, bind: typeof bindArguments) {
  const call = async (...args: unknown[]) => tool.forward(bind(tool.name, inputs, args));
  withInputs(call, { inputs, output: tool.output_type });
  return Object.defineProperties(call, {
    name: { value: tool.name, configurable: true },
    length: { value: Object.keys(inputs).length, configurable: true },
  });
}
