/**
 * What an agent loop needs around the executor: the system prompt of appendix D, tools as declarations, and the code of
 * a model's answer.
 *
 * @packageDocumentation
 */

import type { StandardSchema } from '../code-tool/api';

/** JSON Schema, as far as types go: interfaces have no index signature. */
export type JsonSchema = boolean | object;

/** Names of types of smolagents; JSON Schema has most of them too. */
export type ToolTypeName =
  'string' | 'boolean' | 'integer' | 'number' | 'image' | 'audio' | 'array' | 'object' | 'any' | 'null' | (string & {});

/** One input of a tool (`ToolInput` of smolagents-ts). Without `default` and `nullable` it must be given. */
export interface ToolInput {
  /** One type, or those that are possible. */
  type?: ToolTypeName | readonly ToolTypeName[] | undefined;
  description?: string | undefined;
  /** Whether it may be `null`, which is also what it is when it is left out. */
  nullable?: boolean | undefined;
  /** What it is when it is left out. */
  default?: unknown;
  enum?: readonly unknown[] | undefined;
  items?: ToolInput | undefined;
  properties?: Readonly<Record<string, ToolInput>> | undefined;
  additionalProperties?: ToolInput | boolean | undefined;
  anyOf?: readonly ToolInput[] | undefined;
}

/**
 * What is said of a tool. `inputs` are those of a smolagents `Tool`, and are parameters one by one. `inputSchema`,
 * `input_schema`, `parameters` and `schema` are schemas of the one object that the tool takes, as with MCP, Anthropic, function
 * calling and LangChain: JSON Schema, or a Standard Schema that has it, as those of zod 4.
 */
export interface ToolDefinition {
  /** An identifier, or identifiers joined by dots: `Host.readDoc`. */
  name: string;
  description?: string | undefined;
  inputs?: Readonly<Record<string, ToolInput>> | JsonSchema | StandardSchema | undefined;
  inputSchema?: JsonSchema | StandardSchema | undefined;
  input_schema?: JsonSchema | StandardSchema | undefined;
  parameters?: JsonSchema | StandardSchema | undefined;
  schema?: JsonSchema | StandardSchema | undefined;
  output_type?: ToolTypeName | JsonSchema | StandardSchema | undefined;
  outputType?: ToolTypeName | JsonSchema | StandardSchema | undefined;
  /** Says more than `output_type`, and takes precedence. */
  output_schema?: unknown;
  outputSchema?: unknown;
  output_description?: string | undefined;
  outputDescription?: string | undefined;
  output_example?: unknown;
  outputExample?: unknown;
  /** Whether the tool gives a promise; default `true`. */
  async?: boolean | undefined;
}

/** A definition as function calling wraps it: what `to_dict()` of a smolagents tool gives. */
export interface FunctionDefinition {
  type: 'function';
  function: ToolDefinition;
}

/** Somebody whom the agent can give tasks to: called as `name(task, additional_args)`. */
export interface ManagedAgentDefinition {
  name: string;
  description?: string | undefined;
}

/** A list, or a map or object by name. */
export type ListOf<T> = readonly T[] | ReadonlyMap<string, T> | Readonly<Record<string, T>>;

export interface SystemPromptOptions {
  /** The tools, in the order in which the model shall read them. `final_answer` is added if it is missing. */
  tools?: ListOf<ToolDefinition | FunctionDefinition> | undefined;
  managedAgents?: ListOf<ManagedAgentDefinition> | undefined;
  /** Modules that may be imported: those of the executor's option of that name. Default none. */
  authorizedImports?: readonly string[] | undefined;
  /** Text that is put before the end of the prompt. */
  customInstructions?: string | undefined;
  /** Opening and closing tag of a code block; default `['<code>', '</code>']`. */
  codeBlockTags?: readonly [string, string] | undefined;
  /** What the agent writes; default `"javascript"`. It decides on the template and on the form of the declarations. */
  language?: 'javascript' | 'python' | undefined;
  /**
   * The template, if it is not {@link CODE_AGENT_SYSTEM_PROMPT} or {@link CODE_AGENT_PYTHON_SYSTEM_PROMPT}: text with `{{name}}`, `{{{name}}}` and
   * `{{#if name}}…{{/if}}` for the names of {@link SystemPromptVariables}.
   */
  template?: string | undefined;
}

/** What the placeholders of the template stand for: the names of smolagents-ts, and `has_authorized_imports`. */
export interface SystemPromptVariables {
  /** Declarations of the tools. */
  tools_prompt: string;
  /** Declarations of the managed agents. */
  managed_agents_prompt: string;
  has_managed_agents: boolean;
  /** The names as a JSON array. */
  authorized_imports: string;
  has_authorized_imports: boolean;
  custom_instructions: string;
  code_block_opening_tag: string;
  code_block_closing_tag: string;
  [name: string]: string | boolean;
}

/**
 * The system prompt of the specification's appendix D, with its examples, as a Handlebars template (to be filled in with
 * `noEscape: true`).
 */
export const CODE_AGENT_SYSTEM_PROMPT: string;

/**
 * The system prompt of an agent that writes Python (specification of `PyodideExecutor`, section 13), with its examples, as a
 * Handlebars template with the same placeholders.
 */
export const CODE_AGENT_PYTHON_SYSTEM_PROMPT: string;

/**
 * The system prompt of a code agent that writes JavaScript, or Python.
 *
 * @throws `TypeError` for wrong options, tools that cannot be declared, and placeholders that do not exist
 *
 * @example
 * ```js
 * const prompt = renderSystemPrompt({ tools: [searchTool], authorizedImports: ['units'] });
 *
 * // With smolagents-ts:
 * class JavaScriptAgent extends CodeAgent {
 *   initialize_system_prompt() {
 *     return renderSystemPrompt({
 *       tools: this.tools,
 *       managedAgents: this.managed_agents,
 *       customInstructions: this.instructions,
 *       codeBlockTags: this.code_block_tags,
 *     });
 *   }
 * }
 * ```
 */
export function renderSystemPrompt(options?: SystemPromptOptions): string;

/**
 * The values that {@link renderSystemPrompt} fills in, for templates that need all of Handlebars.
 *
 * @throws `TypeError` as {@link renderSystemPrompt}
 */
export function systemPromptVariables(options?: SystemPromptOptions): SystemPromptVariables;

/**
 * A tool as a declaration with a JSDoc comment, as models read it.
 *
 * Types are those of TypeScript, `image` and `audio` stand for themselves. The one object that a tool takes is told by its
 * properties, and by its type as a whole where these do not say all: alternatives, records, lists. What is said of members at any
 * depth has lines of its own (`args.items[].name`). `$ref` is followed inside the document; a schema inside itself, and what is
 * beyond 500 schemas or 12 levels, is `any`.
 *
 * @throws `TypeError` that names the tool and what is wrong: a name that is not an identifier, inputs that are none
 *
 * @example
 * ```js
 * toJavaScriptSignature({
 *   name: 'search',
 *   description: 'Searches the web.',
 *   inputs: {
 *     query: { type: 'string', description: 'What to look for.' },
 *     limit: { type: 'integer', description: 'How many results.', default: 10 },
 *   },
 *   output_type: 'string',
 * });
 * // /**
 * //  * Searches the web.
 * //  *
 * //  * @param {string} query What to look for.
 * //  * @param {number} [limit=10] (integer) How many results.
 * //  * @returns {Promise<string>}
 * //  *\/
 * // async function search(query, limit = 10) {}
 * ```
 */
export function toJavaScriptSignature(tool: ToolDefinition | FunctionDefinition): string;

/**
 * A tool as a Python function with annotations and a docstring, as models read it. A tool that takes one object is called with
 * keywords, or with `args` where its properties do not say all of that, or are no names in Python. Of objects in parameters and
 * results the docstring gives the type as TypeScript writes it, since annotations have no keys, and what is said of their members.
 *
 * @throws `TypeError` as {@link toJavaScriptSignature}
 *
 * @example
 * ```js
 * toPythonSignature({
 *   name: 'search',
 *   description: 'Searches the web.',
 *   inputs: { query: { type: 'string', description: 'What to look for.' } },
 *   output_type: 'string',
 * });
 * // def search(query: str) -> str:
 * //     """Searches the web.
 * //
 * //     Args:
 * //         query: What to look for.
 * //     """
 * ```
 */
export function toPythonSignature(tool: ToolDefinition | FunctionDefinition): string;

/**
 * The code of a model's answer: what is between the tags; else the fenced blocks marked `js`, `javascript`, `ts` or
 * `typescript`; else the whole answer, if it is a program and more than a word or a number. Several blocks are joined by
 * a blank line. A block that is not closed goes on to the end of the answer, since generation stops at the closing tag.
 * Where a block stands on lines of its own, tags in a line of prose make none; what is in `<think>…</think>` in front of the code
 * is not looked at.
 *
 * Tags inside strings, templates and comments of the code do not end it: of the tags that may be the end, those that begin
 * a line before others, the first is taken at which the code parses. Time is in proportion to the length of the answer:
 * the parser is called at most 200 times and gets at most four times that text. Line breaks become `\n`.
 *
 * @param tags opening and closing tag; default `['<code>', '</code>']`
 * @throws {@link CodeParsingError} if there is no code; its message is to be sent to the model
 * @throws `TypeError` for wrong arguments
 */
export function parseCodeBlobs(text: string, tags?: readonly [string, string]): string;

/** A model's answer has no code in it. The message tells the model what to send. */
export class CodeParsingError extends Error {
  private constructor();
  readonly name: 'CodeParsingError';
  readonly code: 'ERR_CODE_NOT_FOUND';
}
