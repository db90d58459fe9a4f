// @ts-check
'use strict';

const { describe, isClass, isPlainObject, memberPath } = require('../../contract/describe');
const { defineMember } = require('../../contract/tool-names');
const { AGENT_INPUTS } = require('../prompts/agent-inputs');
const { bindArguments, checkInputs } = require('./arguments');
const { namedArguments } = require('../../python/named-arguments');

/**
 * Functions for `sendTools`, of smolagents tools and managed agents. Documented in `index.d.ts`.
 *
 * @param {import('./index').SmolagentsTools} tools
 * @returns {import('../../../index').Tools}
 * @throws {TypeError} naming what is neither a tool, nor an agent, a function or an object of such
 */
function toHostTools(tools) {
  return hostTools(tools, bindArguments);
}

/**
 * The same for Python, whose calls have arguments one by one and then those with keywords.
 *
 * @param {import('./index').SmolagentsTools} tools
 */
function toPythonTools(tools) {
  return hostTools(tools, (name, inputs, args) =>
    bindArguments(name, inputs, args.length > 1 ? [namedArguments(Object.keys(inputs), args)] : args),
  );
}

/**
 * @param {import('./index').SmolagentsTools} tools
 * @param {typeof bindArguments} bind
 * @returns {import('../../../index').Tools}
 */
function hostTools(tools, bind) {
  if (Array.isArray(tools)) return fromList(tools, bind);
  if (tools instanceof Map) return fromEntries([...tools], 'tools', bind);
  if (!isPlainObject(tools)) {
    throw new TypeError(`tools must be an array, a map or an object of tools by name, got ${describe(tools)}`);
  }
  return fromEntries(Object.entries(tools), 'tools', bind);
}

/**
 * @param {readonly any[]} tools
 * @param {typeof bindArguments} bind
 */
function fromList(tools, bind) {
  /** @type {import('../../../index').Tools} */
  const functions = {};
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

/**
 * Puts a function where its name with dots says.
 *
 * @param {Record<string, any>} root
 * @param {string[]} keys
 * @param {unknown} value
 * @param {string} path
 */
function place(root, keys, value, path) {
  const last = /** @type {string} */ (keys.at(-1));
  let holder = root;
  for (const key of keys.slice(0, -1)) {
    if (!Object.hasOwn(holder, key)) defineMember(holder, key, {});
    holder = holder[key];
    if (typeof holder !== 'object') throw new TypeError(`${path} is in a namespace that is a tool itself: ${key}`);
  }
  if (Object.hasOwn(holder, last)) throw new TypeError(`${path} has a name that another tool has: ${keys.join('.')}`);
  defineMember(holder, last, value);
}

/**
 * @param {readonly (readonly [string, any])[]} entries
 * @param {string} path
 * @param {typeof bindArguments} bind
 * @returns {import('../../../index').Tools}
 */
function fromEntries(entries, path, bind) {
  /** @type {import('../../../index').Tools} */
  const functions = {};
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

/**
 * @param {any} tool
 * @param {string} path
 * @param {typeof bindArguments} bind
 */
function hostTool(tool, path, bind) {
  if (isTool(tool)) return namedFunction(tool, checkInputs(tool.inputs, `${path}.inputs`), bind);
  if (isAgent(tool)) return namedFunction(agentTool(tool), AGENT_INPUTS, bind);
  if (isClass(tool)) throw new TypeError(`${path} is a class: pass an object of it, made with \`new\``);
  if (typeof tool === 'function') return tool;
  throw new TypeError(
    `${path} must be a Tool with inputs and forward(args), an agent with run(task), or a function, got ${describe(tool)}`,
  );
}

/** @param {any} value */
function isTool(value) {
  return typeof value === 'object' && value !== null && typeof value.forward === 'function' && 'inputs' in value;
}

/** @param {any} value */
function isAgent(value) {
  return (
    typeof value === 'object' && value !== null && typeof value.run === 'function' && typeof value.name === 'string'
  );
}

/**
 * A managed agent as a tool: a task of its own each time.
 *
 * @param {any} agent
 */
function agentTool(agent) {
  return {
    name: agent.name,
    forward: (/** @type {any} */ { task, additional_args: args }) =>
      agent.run(task, { additional_args: args ?? undefined, reset: true }),
  };
}

/**
 * The function of a tool. It is an `async` function, so that guests get a promise at once.
 *
 * @param {any} tool
 * @param {import('./arguments').Inputs} inputs
 * @param {typeof bindArguments} bind
 */
function namedFunction(tool, inputs, bind) {
  const call = async (/** @type {unknown[]} */ ...args) => tool.forward(bind(tool.name, inputs, args));
  return Object.defineProperties(call, {
    name: { value: tool.name, configurable: true },
    length: { value: Object.keys(inputs).length, configurable: true },
  });
}

module.exports = { toHostTools, toPythonTools };
