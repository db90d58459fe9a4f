/**
 * `ses-executor/ai`: a tool for the AI SDK, versions 5 to 7, that lets a model call other tools from code.
 *
 * @packageDocumentation
 */

import { refuseOtherMarks } from '../../contract/approval-marks';
import { describe, isPlainObject, memberPath } from '../../contract/describe';
import { closest } from '../../contract/options';
import { requirePeer } from '../../contract/peer-dependency';
import {
  checkOf,
  isStandardSchema,
  isZod3,
  issuesText,
  standardSchema,
  validate,
} from '../../contract/standard-schema';
import { byIdentifier } from '../../contract/tool-names';
import { WRONG_INPUT, isCodeInput } from '../code-tool/code-input';
import { succeededData } from '../code-tool/code-tool-error';
import { isDefinition } from '../code-tool/definition';
import { languageOf } from '../code-tool/language';
import { withoutEnvelope } from '../code-tool/mcp-result';
import { makeCodeTool } from '../code-tool/code-tool';
import { PausedPrograms, recordedExecutor } from '../code-tool/paused-programs';
import { OWN_OPTIONS, booleanOption, executorIn, settingsOf } from '../code-tool/settings';
import { inputSchemaOf, outputSchemaOf } from '../../catalog/tool-schemas';
import { ToolPolicy, callOf, isApproved, namedIn } from './approval';
import { ModelOutput } from '../../contract/ai-sdk-output';
import type { ContentBlock } from '../../contract/content';
import type { Foreign } from '../../contract/foreign';
import type { RunFailure } from '../../contract/run-failure';
import type {
  CallContext,
  CallOptions,
  CodeFunctions,
  CodeToolDefinition,
  CodeToolResult as CodeToolOutcome,
  CodeToolSettings,
  RunProgress,
} from '../code-tool/types';
import type { ToolApproval } from './approval';
import type { Tool, ToolSet } from 'ai';

type OnProgress = (progress: RunProgress) => void;

/** Tools of the AI SDK, functions, and namespaces of functions. */
type CodeTools = Readonly<Record<string, ToolSet[string] | CodeFunctions>>;

/** Options of {@link createCodeTool}. */
export interface CodeToolOptions<Tools extends CodeTools = CodeTools> extends Omit<CodeToolSettings, 'name'> {
  /**
   * The tools that code can call as `await name(input)`. A name that is not an identifier is changed: `list-files`
   * becomes `list_files`. Functions and namespaces of functions are accepted too. Tools without `execute`, which run
   * elsewhere, are left out.
   *
   * Tools keep their `needsApproval`. If code names such a tool, the call of the code tool itself needs approval. The
   * AI SDK requests this approval from version 6 on, and the person sees the code. Such a tool fails in the code if the
   * approved code does not name it. All such tools fail in a call that has not been approved. With `approve`, each call
   * is approved separately instead, with its input. With a `DurableSession` as `executor`, code runs until a call needs
   * approval, and the approved call of the code tool continues it after that call.
   *
   * In AI SDK 7, the tools receive their contexts from the context of this tool, by name. If this tool is `code`, pass
   * `toolsContext: { code: { getWeather: { apiKey } } }`; TypeScript needs `as never`. A context that `contextSchema`
   * rejects is an error in the code. If a description of a tool is a function, the description of this tool is a
   * function too.
   *
   * In AI SDK 7, `experimental_toolCallers` of `generateText` can name this tool too, and its code can then call those
   * tools in addition to these. Default: only those tools. `toolApproval` of `generateText` does not reach them: pass
   * it to this function.
   */
  tools?: Tools | undefined;
  /**
   * Same as `toolApproval` of `generateText` in AI SDK 7, by the name of the tool. It takes precedence over
   * `needsApproval`. Unknown names are rejected: names that are not in `tools`, or without `tools`, names of tools that
   * `experimental_toolCallers` does not bind to this one. Functions receive `toolContext`. Reading `runtimeContext`,
   * which the AI SDK passes to no tool, is an error in the code.
   */
  toolApproval?: { readonly [Name in keyof Tools]?: ToolApproval } | undefined;
  /**
   * Whether the tool yields preliminary results while code runs, as tools of the AI SDK do whose `execute` is a
   * generator. These results have `progress`, and the log so far if the tool creates the executor. Default `false`.
   */
  preliminaryResults?: boolean | undefined;
  /**
   * With a `DurableSession` as `executor`: whether approval of a call of this tool approves the plan of its program,
   * which is all its calls as far as the code shows them. Calls that are not in the plan need approval again. Default
   * `false`: only the calls that the program waits for are approved.
   */
  approvesPlans?: boolean | undefined;
}

/** The marker by which `experimental_toolCallers` of AI SDK 7 recognizes the tool. */
export interface CodeToolCaller {
  /** Read by the SDK. */
  readonly experimental_toolCaller: {
    readonly type: 'local';
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tools of the caller's version of the SDK
    bind(tools: any): any;
  };
}

/** The result of a call of the tool. */
export interface CodeToolResult {
  /**
   * The output as data: strings, numbers, lists and objects. Values that JSON cannot represent have the form that the
   * guide describes. Only parts without data, such as functions, are strings. If the output is long, it is the
   * shortened text that `util.inspect` returns.
   */
  output: unknown;
  /** The lines that the code logged. */
  logs: string;
  /** States that the values of earlier runs are lost, if no earlier result has stated it. */
  note?: string;
  /** Images, audio, files and texts that the code has shown. The model gets them as parts of the tool result. */
  content?: readonly ContentBlock[];
  /** In preliminary results: what the code has done so far. */
  progress?: Omit<RunProgress, 'logs'>;
}

/** Symbols by which the AI SDK recognizes its own schemas. The second symbol is used only in version 5. */
const SCHEMA = Symbol.for('vercel.ai.schema');
const VALIDATOR = Symbol.for('vercel.ai.validator');

/**
 * Creates a tool that takes JavaScript in which the other tools are functions. The tool's description declares them
 * according to their schemas.
 *
 * The schemas of the tools check their input. Invalid input is an error in the code. The tools receive the options of
 * the call of this tool, with their own `toolCallId` and an `abortSignal` that is also aborted when the run ends. A
 * failure of the code is a `tool-error` of the AI SDK: the tool throws a `CodeToolError` of `ses-executor/code-tool`,
 * whose message tells the model how to correct the code. Aborting the `abortSignal` of the call ends the run. If
 * `executor` is a function, it receives the options of the call.
 *
 * Results of MCP clients are unwrapped: code receives `structuredContent` if there is any, else the text, else the
 * content blocks. Text that is a JSON object or array is parsed. A result with `isError` is thrown in the code.
 *
 * @throws `TypeError` or `RangeError` for wrong options, ambiguous names, reserved names, and schemas that are
 *   promises
 *
 * @example
 * ```js
 * const code = createCodeTool({ tools: { getWeather, getRates }, timeoutMs: 30_000 });
 * const { text } = await generateText({ model, tools: { code }, stopWhen: stepCountIs(5), prompt });
 * ```
 *
 * @example In AI SDK 7, with tools that are bound later
 * ```js
 * const tools = { code: createCodeTool({ timeoutMs: 30_000 }), getWeather, getRates };
 * const experimental_toolCallers = { getWeather: ['code'], getRates: ['code'] };
 * const { text } = await generateText({ model, tools, experimental_toolCallers, prompt });
 * ```
 */
export function createCodeTool<Tools extends CodeTools = CodeTools>(
  options: CodeToolOptions<Tools> = {},
): Tool<{ code: string }, CodeToolResult> & CodeToolCaller {
  const { tools = {}, ...settings }: Foreign = settingsOf(options);
  if (!isPlainObject(tools)) throw new TypeError(`options.tools must be an object of tools, got ${describe(tools)}`);
  const programs = new PausedPrograms(booleanOption('approvesPlans', settings.approvesPlans));
  const own = toolWith(tools, settings, programs, options.tools === undefined);
  let last: { added: Record<string, Foreign>; tool: Foreign } = { added: {}, tool: own };
  const bind = (added: Record<string, Foreign>) => {
    // AI SDK 7 binds the tools before each request, and they are mostly the same ones.
    if (!isSame(added, last.added)) last = { added, tool: toolWith(withAdded(tools, added), settings, programs) };
    return last.tool;
  };
  // Not enumerable, as in the SDK: a copy of the tool would be bound to what the copied one does.
  return Object.defineProperty(own, 'experimental_toolCaller', { value: { type: 'local', bind } });
}

function isSame(one: Record<string, Foreign>, other: Record<string, Foreign>) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** @throws {TypeError} for two tools of one name */
function withAdded(tools: Record<string, Foreign>, added: Record<string, Foreign>) {
  for (const name of Object.keys(added)) {
    if (!Object.hasOwn(tools, name) || tools[name] === added[name]) continue;
    throw new TypeError(
      `experimental_toolCallers names the tool ${JSON.stringify(name)}, but options.tools of the code tool has another ` +
        'tool of this name: rename one of them',
    );
  }
  return { ...tools, ...added };
}

/**
 * The tool of the AI SDK that lets code call `tools`.
 *
 * @param programs those of all tools that one call of `createCodeTool` makes
 * @param isOpen whether the tools are not known yet, so that `toolApproval` may name others
 */
function toolWith(
  tools: Record<string, Foreign>,
  given: Foreign,
  programs: PausedPrograms,
  isOpen: boolean = false,
): Foreign {
  // The package `ai` is loaded only for schemas of zod 3, so that any version of it is accepted.
  const executor = executorIn(given.executor, ({ options: call }) => call);
  const {
    toolApproval = {},
    preliminaryResults: reports,
    approvesPlans: _,
    ...settings
  }: Foreign = { ...given, executor };
  const preliminaryResults = booleanOption('preliminaryResults', reports);
  if (!isPlainObject(toolApproval)) {
    throw new TypeError(`options.toolApproval must be an object by name of the tool, got ${describe(toolApproval)}`);
  }
  const { identifier } = languageOf(settings);
  const policies = withPolicies(tools, isOpen ? {} : (toolApproval as Record<string, ToolApproval>), identifier);
  const callable = Object.entries(byIdentifier(policies, identifier));
  const definitions = callable.map(([name, { tool, policy, key }]) => [
    name,
    isDefinition(tool) ? definitionOf(name, tool, policy, key) : tool,
  ]);
  const { tool: made, describe: describeWith } = makeCodeTool(
    { ...settings, tools: Object.fromEntries(definitions) },
    [...OWN_OPTIONS, 'toolApproval', 'preliminaryResults', 'approvesPlans'],
    preliminaryResults,
  );
  const { inputSchema, description, execute } = made;
  const described = callable.filter(([, { tool }]) => isDefinition(tool) && typeof tool.description === 'function');
  /** AI SDK 7 calls this function before each request. */
  const describeIn = (of: Foreign) => {
    const own = ({ tool, key }: Callable) => tool.description({ ...of, context: contextIn(of, key) });
    return describeWith(Object.fromEntries(described.map(([name, it]) => [name, own(it)])));
  };
  const guarded = callable.filter(([, { policy }]) => policy.mayNeed).map(([name]) => name);
  const asksItself = settings.approve !== undefined || guarded.length === 0;
  const modelOutput = new ModelOutput();
  const runIn = (call: Foreign, approved: string[], onProgress?: OnProgress) => {
    modelOutput.called(call);
    return (code: string, own: CallOptions = {}) =>
      execute(code, { ...own, signal: call.abortSignal, context: { options: call, approved }, onProgress });
  };
  const recordedIn = async (call: Foreign) => (asksItself ? undefined : recordedExecutor(given.executor, call));
  const isNamed = (code: string) => namedIn(code, guarded).length > 0;
  const needsApproval = async ({ code }: { code: string }, call: Foreign = {}) => {
    const recorded = await recordedIn(call);
    return recorded === undefined ? isNamed(code) : programs.mustAsk(recorded, code, callOf(call), runIn(call, []));
  };
  const resultOf = async (code: string, call: Foreign, onProgress?: OnProgress) => {
    const recorded = await recordedIn(call);
    if (recorded !== undefined) {
      return programs.resultOf(recorded, code, callOf(call), runIn(call, [], onProgress));
    }
    return runIn(call, asksItself || !isApproved(call) ? [] : namedIn(code, guarded), onProgress)(code);
  };

  // No version of the SDK declares all that the others take.
  const tool: Foreign = {
    description: described.length === 0 ? description : describeIn,
    inputSchema: codeSchema(inputSchema),
    ...(!asksItself && {
      needsApproval: given.executor === undefined ? ({ code }: { code: string }) => isNamed(code) : needsApproval,
    }),
    execute: preliminaryResults
      ? ({ code }: { code: string }, call: Foreign = {}) =>
          withPreliminaryResults((onProgress) => resultOf(code, call, onProgress))
      : async ({ code }: { code: string }, call: Foreign = {}) => succeededData(await resultOf(code, call)),
    toModelOutput: modelOutput.of,
  };
  return tool;
}

/** Preliminary results, then the result. What the SDK does not read in time is left out. */
async function* withPreliminaryResults(
  run: (onProgress: OnProgress) => Promise<CodeToolOutcome>,
): AsyncGenerator<CodeToolResult> {
  let latest: RunProgress | undefined;
  let isRunning = true;
  let wake: () => void = () => {};
  const result = run((progress) => {
    latest = progress;
    wake();
  });
  const ended = result
    .catch(() => {})
    .finally(() => {
      isRunning = false;
    });
  while (isRunning) {
    if (latest === undefined) await Promise.race([ended, new Promise<void>((resolve) => void (wake = resolve))]);
    if (latest === undefined || !isRunning) continue;
    const { logs, ...progress }: RunProgress = latest;
    latest = undefined;
    yield { output: undefined, logs, progress };
  }
  yield succeededData(await result);
}

/** A tool that code can call. `key` is its name in the option `tools`. */
interface Callable {
  tool: Foreign;
  policy: ToolPolicy;
  key: string;
}

/**
 * The tools that code can call, with their approval policies. Tools that run elsewhere are left out.
 *
 * @param toolApproval policies by tool name or by identifier
 */
function withPolicies(
  tools: Record<string, Foreign>,
  toolApproval: Record<string, ToolApproval>,
  identifierOf: (name: string) => string,
): Record<string, Callable> {
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
function runsElsewhere(tool: Foreign) {
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
          `toolApproval of ${name} cannot read runtimeContext, which the AI SDK does not pass to tools: decide by toolContext`,
        );
      },
    });
}

/** @param key the key of the tool in `tools` */
function definitionOf(name: string, tool: Foreign, policy: ToolPolicy, key: string): CodeToolDefinition {
  refuseOtherMarks(`the tool ${name}`, tool, ['needsApproval']);
  const { description, contextSchema } = tool;
  const outputSchema = outputSchemaOf(tool);
  const checked = contextSchema === undefined ? undefined : neutral(contextSchema, name);
  const optionsOf = async ({ signal, toolCallId, context: { options } }: CallContext) => {
    const own = { ...options, toolCallId, abortSignal: signal };
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
    execute: async (input, context) => {
      const result = await tool.execute(input, await optionsOf(context));
      return withoutEnvelope(result, context.signal);
    },
  };
}

/** The context of one tool within the context of the code tool. */
function contextIn({ context }: Foreign, key: string) {
  return Object.hasOwn(Object(context), key) ? context[key] : undefined;
}

/**
 * @param schema undefined if there is none
 * @throws {Error} if the context is not valid for the tool
 */
async function validContext(context: unknown, schema: Foreign, key: string) {
  if (!isStandardSchema(schema)) return context;
  const result = await validate(schema, context);
  if ('value' in result) return result.value;
  throw new Error(
    `the context of ${key} is not valid: ${issuesText(result.issues)}; the host passes it in toolsContext, as the member ` +
      `${JSON.stringify(key)} of the context of the tool that runs code`,
  );
}

/**
 * Converts a schema of the AI SDK to the form that `ses-executor/code-tool` accepts.
 *
 * @param check of a Standard Schema, if the SDK has made the schema of one
 */
function neutral(schema: Foreign, tool: string, check?: (value: unknown) => unknown): Foreign {
  if (isZod3(schema)) return neutral(asSchema(schema), tool, checkOf(schema));
  if (isStandardSchema(schema)) return schema;
  // The schema is created lazily.
  if (typeof schema === 'function') return neutral(schema(), tool);
  if (schema?.[SCHEMA] !== true) return schema;
  const { jsonSchema, validate } = schema;
  if (typeof jsonSchema.then === 'function') {
    throw new TypeError(`a schema of the tool ${tool} is a promise; await it before createCodeTool is called`);
  }
  if (validate === undefined) return { ...jsonSchema };
  return standardSchema('ai', jsonSchema, check ?? checker(validate));
}

function asSchema(schema: Foreign) {
  return requirePeer('ses-executor/ai with schemas of zod 3', 'ai', () => require('ai')).asSchema(schema);
}

/**
 * @param validate `validate` of a schema of the AI SDK
 * @returns `validate` of a Standard Schema
 */
function checker(validate: (value: unknown) => Foreign): (value: unknown) => Promise<Foreign> {
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

export type { ContentBlock, RunFailure, RunProgress, ToolApproval };
