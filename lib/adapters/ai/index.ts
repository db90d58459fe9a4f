import { describe, isPlainObject, memberPath } from '../../contract/describe';
import { closest } from '../../contract/options';
import { requirePeer } from '../../contract/peer-dependency';
import { isStandardSchema, isZod3, issuesText, standardSchema, validate } from '../../contract/standard-schema';
import { byIdentifier } from '../../contract/tool-names';
import { WRONG_INPUT, isCodeInput } from '../code-tool/code-input';
import { isDefinition } from '../code-tool/definition';
import { languageOf } from '../code-tool/language';
import { makeCodeTool } from '../code-tool/code-tool';
import { OWN_OPTIONS, settingsOf } from '../code-tool/settings';
import { inputSchemaOf, outputSchemaOf } from '../prompts/definition';
import { ToolPolicy, isApproved, namedIn } from './approval';
import type { CodeToolOptions, ToolApproval } from './api';
import type { CodeToolDefinition } from '../code-tool/api';

/** Symbols by which the AI SDK recognizes its own schemas. The second symbol is used only in version 5. */
const SCHEMA = Symbol.for('vercel.ai.schema');
const VALIDATOR = Symbol.for('vercel.ai.validator');

/**
 * Creates the tool that lets a model call other tools from code. Documented in `api.d.ts`. The package `ai` is loaded
 * only for schemas of zod 3, so that any version of it is accepted.
 */
export function createCodeTool(options: CodeToolOptions): any {
  const { tools, toolApproval = {}, ...settings } = settingsOf(options);
  if (!isPlainObject(tools)) throw new TypeError(`options.tools must be an object of tools, got ${describe(tools)}`);
  if (!isPlainObject(toolApproval)) {
    throw new TypeError(`options.toolApproval must be an object by name of the tool, got ${describe(toolApproval)}`);
  }
  const { identifier } = languageOf(settings);
  const policies = withPolicies(tools, toolApproval as any, identifier);
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
  /** AI SDK 7 calls this function before each request. */
  const describeIn: (of: any) => string = (of) => {
    const own = ({ tool, key }: any) => tool.description({ ...of, context: contextIn(of, key) });
    return describeWith(Object.fromEntries(described.map(([name, it]) => [name, own(it)])));
  };
  const guarded = callable.filter(([, { policy }]) => policy.mayNeed).map(([name]) => name);
  const asksItself = settings.approve !== undefined || guarded.length === 0;
  return {
    description: described.length === 0 ? description : describeIn,
    inputSchema: codeSchema(inputSchema),
    ...(!asksItself && { needsApproval: ({ code }: any) => namedIn(code, guarded).length > 0 }),
    execute: async ({ code }: { code: string }, call: any = {}) => {
      const { abortSignal: signal } = call;
      const approved = asksItself || !isApproved(call) ? [] : namedIn(code, guarded);
      const { text: _, ...result } = await execute(code, { signal, context: { options: call, approved } });
      return result;
    },
  };
}

/**
 * The tools that code can call, with their approval policies. Tools that run elsewhere are left out.
 *
 * @param toolApproval policies by tool name or by identifier
 */
function withPolicies(
  tools: Record<string, any>,
  toolApproval: Record<string, ToolApproval>,
  identifierOf: (name: string) => string,
) {
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
    return [name, { tool, policy, key: name }] as const;
  });
  return Object.fromEntries(all.filter(([, { tool, policy }]) => !runsElsewhere(tool) && !policy.isDenied));
}

/** Whether the provider or the client runs the tool. */
function runsElsewhere(tool: any) {
  if (!isPlainObject(tool) || tool.execute !== undefined) return false;
  return 'inputSchema' in tool || typeof tool.type === 'string';
}

/**
 * Rejects unknown names. A misspelled name would allow calls that need approval.
 *
 * @param names names of tools
 * @throws {TypeError}
 */
function refuseOtherNames(toolApproval: object, names: string[], identifierOf: (name: string) => string) {
  const identifiers = names.map(identifierOf);
  const path = 'options.toolApproval';
  for (const name of Object.keys(toolApproval)) {
    if (identifiers.includes(identifierOf(name))) continue;
    const close = closest(name, names);
    const hint = close === undefined ? `the tools are ${names.join(', ')}` : `did you mean ${memberPath(path, close)}?`;
    throw new TypeError(`${memberPath(path, name)} is not a tool; ${hint}`);
  }
}

/** Calls a function of `toolApproval` with the values of AI SDK 7, except those that the SDK passes to no tool. */
function asked(name: string, approval: ToolApproval | undefined): ToolApproval | undefined {
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

/** @param key the key of the tool in `tools` */
function definitionOf(name: string, tool: any, policy: ToolPolicy, key: string): CodeToolDefinition {
  const { description, contextSchema } = tool;
  const outputSchema = outputSchemaOf(tool);
  const checked = contextSchema === undefined ? undefined : neutral(contextSchema, name);
  const optionsOf = async ({ signal, context: { options } }: any) => {
    const own = { ...options, abortSignal: signal };
    // Versions before 7 have no context.
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

/** The context of one tool within the context of the code tool. */
function contextIn({ context }: any, key: string) {
  return Object.hasOwn(Object(context), key) ? context[key] : undefined;
}

/**
 * @param schema undefined if there is none
 * @throws {Error} if the context is not valid for the tool
 */
async function validContext(context: unknown, schema: any, key: string) {
  if (!isStandardSchema(schema)) return context;
  const result = await validate(schema, context);
  if ('value' in result) return result.value;
  throw new Error(
    `the context of ${key} is not valid: ${issuesText(result.issues)}; the host gives it in toolsContext, as a member ` +
      `${JSON.stringify(key)} of what is there for the tool that runs code`,
  );
}

/** Converts a schema of the AI SDK to the form that `ses-executor/code-tool` accepts. */
function neutral(schema: any, tool: string): any {
  if (isZod3(schema)) return neutral(asSchema(schema), tool);
  if (isStandardSchema(schema)) return schema;
  // The schema is created lazily.
  if (typeof schema === 'function') return neutral(schema(), tool);
  if (schema?.[SCHEMA] !== true) return schema;
  const { jsonSchema, validate } = schema;
  if (typeof jsonSchema.then === 'function') {
    throw new TypeError(`a schema of the tool ${tool} is a promise; await it before createCodeTool is called`);
  }
  if (validate === undefined) return { ...jsonSchema };
  return standardSchema('ai', jsonSchema, checker(validate));
}

function asSchema(schema: any) {
  return requirePeer('ses-executor/ai with schemas of zod 3', 'ai', () => require('ai')).asSchema(schema);
}

/**
 * @param validate `validate` of a schema of the AI SDK
 * @returns `validate` of a Standard Schema
 */
function checker(validate: (value: unknown) => any): (value: unknown) => Promise<any> {
  return async (value) => {
    const result = await validate(value);
    if (result.success) return { value: result.value };
    const { message, issues, cause } = result.error;
    const found = [issues, cause?.issues, cause].find(Array.isArray);
    return { issues: found ?? [{ message }] };
  };
}

/** @param jsonSchema schema of the code tool's input */
function codeSchema(jsonSchema: object) {
  return {
    [SCHEMA]: true,
    [VALIDATOR]: true,
    _type: undefined,
    jsonSchema,
    validate: (value: unknown) =>
      isCodeInput(value)
        ? { success: true, value: { code: value.code } }
        : { success: false, error: new TypeError(WRONG_INPUT) },
  };
}
