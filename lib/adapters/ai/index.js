// @ts-check
'use strict';

const { describe, isPlainObject, memberPath } = require('../../contract/describe');
const { closest } = require('../../contract/options');
const { requirePeer } = require('../../contract/peer-dependency');
const { isStandardSchema, isZod3, issuesText, standardSchema, validate } = require('../../contract/standard-schema');
const { byIdentifier } = require('../../contract/tool-names');
const { WRONG_INPUT, isCodeInput } = require('../code-tool/code-input');
const { isDefinition } = require('../code-tool/definition');
const { languageOf } = require('../code-tool/language');
const { makeCodeTool } = require('../code-tool/code-tool');
const { OWN_OPTIONS, settingsOf } = require('../code-tool/settings');
const { inputSchemaOf, outputSchemaOf } = require('../prompts/definition');
const { ToolPolicy, isApproved, namedIn } = require('./approval');

/** By these the AI SDK knows its own schemas from those of others; by the second in version 5 only. */
const SCHEMA = Symbol.for('vercel.ai.schema');
const VALIDATOR = Symbol.for('vercel.ai.validator');

/**
 * Makes the tool by which a model calls other tools from code. Documented in `index.d.ts`. The package `ai` is loaded for
 * schemas of zod 3 only, so that any version of it will do.
 *
 * @param {import('./index').CodeToolOptions} options
 * @returns {any}
 */
function createCodeTool(options) {
  const { tools, toolApproval = {}, ...settings } = settingsOf(options);
  if (!isPlainObject(tools)) throw new TypeError(`options.tools must be an object of tools, got ${describe(tools)}`);
  if (!isPlainObject(toolApproval)) {
    throw new TypeError(`options.toolApproval must be an object by name of the tool, got ${describe(toolApproval)}`);
  }
  const { identifier } = languageOf(settings);
  const policies = withPolicies(tools, /** @type {any} */ (toolApproval), identifier);
  const callable = Object.entries(byIdentifier(policies, identifier));
  const definitions = callable.map(([name, { tool, policy, key }]) => [
    name,
    isDefinition(tool) ? definitionOf(name, tool, policy, key) : tool,
  ]);
  const { tool: made, describe: describeWith } = makeCodeTool({ ...settings, tools: Object.fromEntries(definitions) }, [
    ...OWN_OPTIONS,
    'toolApproval',
  ]);
  const { inputSchema, description, execute } = made;
  const described = callable.filter(([, { tool }]) => isDefinition(tool) && typeof tool.description === 'function');
  /** As version 7 asks it before each request. @type {(of: any) => string} */
  const describeIn = (of) => {
    const own = (/** @type {any} */ { tool, key }) => tool.description({ ...of, context: contextIn(of, key) });
    return describeWith(Object.fromEntries(described.map(([name, it]) => [name, own(it)])));
  };
  const guarded = callable.filter(([, { policy }]) => policy.mayNeed).map(([name]) => name);
  const asksItself = settings.approve !== undefined || guarded.length === 0;
  return {
    description: described.length === 0 ? description : describeIn,
    inputSchema: codeSchema(inputSchema),
    ...(!asksItself && { needsApproval: (/** @type {any} */ { code }) => namedIn(code, guarded).length > 0 }),
    execute: async (/** @type {{ code: string }} */ { code }, /** @type {any} */ call = {}) => {
      const { abortSignal: signal } = call;
      const approved = asksItself || !isApproved(call) ? [] : namedIn(code, guarded);
      const { text: _, ...result } = await execute(code, { signal, context: { options: call, approved } });
      return result;
    },
  };
}

/**
 * The tools that code can call, and whether a person has to approve that. Those that run elsewhere are left out.
 *
 * @param {Record<string, any>} tools
 * @param {Record<string, import('./index').ToolApproval>} toolApproval by names of tools, or their identifiers
 * @param {(name: string) => string} identifierOf
 */
function withPolicies(tools, toolApproval, identifierOf) {
  refuseOtherNames(toolApproval, Object.keys(tools), identifierOf);
  const approvals = byIdentifier(toolApproval, identifierOf);
  const all = Object.entries(tools).map(([name, tool]) => {
    const identifier = identifierOf(name);
    const own = Object.hasOwn(approvals, identifier) ? approvals[identifier] : undefined;
    const policy = new ToolPolicy(asked(name, own) ?? (isDefinition(tool) ? tool.needsApproval : undefined));
    if (policy.mayNeed && !isDefinition(tool) && !runsElsewhere(tool)) {
      throw new TypeError(
        `${memberPath('options.toolApproval', name)} needs a tool with \`execute\`, got ${describe(tool)}`,
      );
    }
    return /** @type {const} */ ([name, { tool, policy, key: name }]);
  });
  return Object.fromEntries(all.filter(([, { tool, policy }]) => !runsElsewhere(tool) && !policy.isDenied));
}

/**
 * Whether it is a tool that the provider runs, or the client.
 *
 * @param {any} tool
 */
function runsElsewhere(tool) {
  if (!isPlainObject(tool) || tool.execute !== undefined) return false;
  return 'inputSchema' in tool || typeof tool.type === 'string';
}

/**
 * A name that is misspelt would let calls pass that a person has to approve.
 *
 * @param {object} toolApproval
 * @param {string[]} names of tools
 * @param {(name: string) => string} identifierOf
 * @throws {TypeError}
 */
function refuseOtherNames(toolApproval, names, identifierOf) {
  const identifiers = names.map(identifierOf);
  const path = 'options.toolApproval';
  for (const name of Object.keys(toolApproval)) {
    if (identifiers.includes(identifierOf(name))) continue;
    const close = closest(name, names);
    const hint = close === undefined ? `the tools are ${names.join(', ')}` : `did you mean ${memberPath(path, close)}?`;
    throw new TypeError(`${memberPath(path, name)} is not a tool; ${hint}`);
  }
}

/**
 * A function of `toolApproval` gets what version 7 gives it, but for what that gives no tool.
 *
 * @param {string} name
 * @param {import('./index').ToolApproval | undefined} approval
 * @returns {import('./index').ToolApproval | undefined}
 */
function asked(name, approval) {
  if (typeof approval !== 'function') return approval;
  return (input, options) =>
    approval(input, {
      ...options,
      toolContext: options.context,
      get runtimeContext() {
        throw new Error(
          `toolApproval of ${name} cannot read runtimeContext, which the AI SDK gives no tool: decide by toolContext`,
        );
      },
    });
}

/**
 * @param {string} name
 * @param {any} tool
 * @param {ToolPolicy} policy
 * @param {string} key of the tool in `tools`
 * @returns {import('../code-tool').CodeToolDefinition}
 */
function definitionOf(name, tool, policy, key) {
  const { description, contextSchema } = tool;
  const outputSchema = outputSchemaOf(tool);
  const checked = contextSchema === undefined ? undefined : neutral(contextSchema, name);
  const optionsOf = async (/** @type {any} */ { signal, context: { options } }) => {
    const own = { ...options, abortSignal: signal };
    // Versions before 7 have none.
    if (!('context' in own) && checked === undefined) return own;
    return { ...own, context: await validContext(contextIn(own, key), checked, key) };
  };
  return {
    ...(typeof description !== 'function' && { description }),
    inputSchema: neutral(inputSchemaOf(tool), name),
    ...(outputSchema !== undefined && { outputSchema: neutral(outputSchema, name) }),
    needsApproval: async (input, context) =>
      (await policy.needs(input, await optionsOf(context))) && !context.context.approved.includes(name),
    execute: async (input, context) => tool.execute(input, await optionsOf(context)),
  };
}

/**
 * The context of one of the tools in that of the tool that runs code.
 *
 * @param {any} options
 * @param {string} key
 */
function contextIn({ context }, key) {
  return Object.hasOwn(Object(context), key) ? context[key] : undefined;
}

/**
 * @param {unknown} context
 * @param {any} schema undefined: none
 * @param {string} key
 * @throws {Error} if it is not what the tool needs
 */
async function validContext(context, schema, key) {
  if (!isStandardSchema(schema)) return context;
  const result = await validate(schema, context);
  if ('value' in result) return result.value;
  throw new Error(
    `the context of ${key} is not valid: ${issuesText(result.issues)}; the host gives it in toolsContext, as a member ` +
      `${JSON.stringify(key)} of what is there for the tool that runs code`,
  );
}

/**
 * A schema of the AI SDK as the neutral code tool takes it.
 *
 * @param {any} schema
 * @param {string} tool
 * @returns {any}
 */
function neutral(schema, tool) {
  if (isZod3(schema)) return neutral(asSchema(schema), tool);
  if (isStandardSchema(schema)) return schema;
  // It is made when it is needed.
  if (typeof schema === 'function') return neutral(schema(), tool);
  if (schema?.[SCHEMA] !== true) return schema;
  const { jsonSchema, validate } = schema;
  if (typeof jsonSchema.then === 'function') {
    throw new TypeError(`a schema of the tool ${tool} is a promise; await it before createCodeTool is called`);
  }
  if (validate === undefined) return { ...jsonSchema };
  return standardSchema('ai', jsonSchema, checker(validate));
}

/** @param {any} schema */
function asSchema(schema) {
  return requirePeer('ses-executor/ai with schemas of zod 3', 'ai', () => require('ai')).asSchema(schema);
}

/**
 * @param {(value: unknown) => any} validate of a schema of the AI SDK
 * @returns {(value: unknown) => Promise<any>} of a Standard Schema
 */
function checker(validate) {
  return async (value) => {
    const result = await validate(value);
    if (result.success) return { value: result.value };
    const { message, issues, cause } = result.error;
    const found = [issues, cause?.issues, cause].find(Array.isArray);
    return { issues: found ?? [{ message }] };
  };
}

/** @param {object} jsonSchema of the tool's own input */
function codeSchema(jsonSchema) {
  return {
    [SCHEMA]: true,
    [VALIDATOR]: true,
    _type: undefined,
    jsonSchema,
    validate: (/** @type {unknown} */ value) =>
      isCodeInput(value)
        ? { success: true, value: { code: value.code } }
        : { success: false, error: new TypeError(WRONG_INPUT) },
  };
}

module.exports = { createCodeTool };
