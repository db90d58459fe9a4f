/**
 * The parts of an agent loop around the executor: the system prompt of appendix D, declarations of tools, and
 * extraction of the code from a model's answer.
 *
 * @packageDocumentation
 */

import type { StandardSchema } from '../code-tool/api';

/** JSON Schema. Objects have no index signature here, so that interfaces are accepted. */
export type JsonSchema = boolean | object;

/** Type names of smolagents. JSON Schema has most of them too. */
export type ToolTypeName =
  'string' | 'boolean' | 'integer' | 'number' | 'image' | 'audio' | 'array' | 'object' | 'any' | 'null' | (string & {});

/** One input of a tool (`ToolInput` of smolagents-ts). It is required unless it has `default` or `nullable`. */
export interface ToolInput {
  /** One type, or the list of possible types. */
  type?: ToolTypeName | readonly ToolTypeName[] | undefined;
  description?: string | undefined;
  /** Whether the input may be `null`. An omitted input is `null` too. */
  nullable?: boolean | undefined;
  /** The value of an omitted input. */
  default?: unknown;
  enum?: readonly unknown[] | undefined;
  items?: ToolInput | undefined;
  properties?: Readonly<Record<string, ToolInput>> | undefined;
  additionalProperties?: ToolInput | boolean | undefined;
  anyOf?: readonly ToolInput[] | undefined;
}

/**
 * The definition of a tool.
 *
 * `inputs` are the inputs of a smolagents `Tool`. Each one is a separate parameter. `inputSchema`, `input_schema`,
 * `parameters` and `schema` are schemas of the single object that the tool takes, as in MCP, Anthropic, function
 * calling and LangChain. They are JSON Schema, or a Standard Schema that provides JSON Schema, such as those of zod 4.
 */
export interface ToolDefinition {
  /** An identifier, or several identifiers joined by dots: `Host.readDoc`. */
  name: string;
  description?: string | undefined;
  inputs?: Readonly<Record<string, ToolInput>> | JsonSchema | StandardSchema | undefined;
  inputSchema?: JsonSchema | StandardSchema | undefined;
  input_schema?: JsonSchema | StandardSchema | undefined;
  parameters?: JsonSchema | StandardSchema | undefined;
  schema?: JsonSchema | StandardSchema | undefined;
  output_type?: ToolTypeName | JsonSchema | StandardSchema | undefined;
  outputType?: ToolTypeName | JsonSchema | StandardSchema | undefined;
  /** A more precise alternative to `output_type`. It takes precedence. */
  output_schema?: unknown;
  outputSchema?: unknown;
  output_description?: string | undefined;
  outputDescription?: string | undefined;
  output_example?: unknown;
  outputExample?: unknown;
  /** Whether the tool returns a promise. Default `true`. */
  async?: boolean | undefined;
}

/** A definition as function calling wraps it. `to_dict()` of a smolagents tool returns this form. */
export interface FunctionDefinition {
  type: 'function';
  function: ToolDefinition;
}

/** An agent that can be given tasks. It is called as `name(task, additional_args)`. */
export interface ManagedAgentDefinition {
  name: string;
  description?: string | undefined;
}

/** A list, or a map or object by name. */
export type ListOf<T> = readonly T[] | ReadonlyMap<string, T> | Readonly<Record<string, T>>;

export interface SystemPromptOptions {
  /** The tools, in the order in which the model reads them. `final_answer` is added if it is missing. */
  tools?: ListOf<ToolDefinition | FunctionDefinition> | undefined;
  managedAgents?: ListOf<ManagedAgentDefinition> | undefined;
  /** The modules that may be imported: the executor's option of the same name. Default: none. */
  authorizedImports?: readonly string[] | undefined;
  /** Text that is inserted before the end of the prompt. */
  customInstructions?: string | undefined;
  /** The opening and closing tag of a code block. Default `['<code>', '</code>']`. */
  codeBlockTags?: readonly [string, string] | undefined;
  /**
   * The language that the agent writes. It selects the template and the form of the declarations. Default
   * `"javascript"`.
   */
  language?: 'javascript' | 'python' | undefined;
  /**
   * The template. Default: {@link CODE_AGENT_SYSTEM_PROMPT} or {@link CODE_AGENT_PYTHON_SYSTEM_PROMPT}. It may contain
   * `{{name}}`, `{{{name}}}` and `{{#if name}}…{{/if}}` for the names of {@link SystemPromptVariables}.
   */
  template?: string | undefined;
}

/** Values of the template's placeholders: the names of smolagents-ts, and `has_authorized_imports`. */
export interface SystemPromptVariables {
  /** Declarations of the tools. */
  tools_prompt: string;
  /** Declarations of the managed agents. */
  managed_agents_prompt: string;
  has_managed_agents: boolean;
  /** The module names as a JSON array. */
  authorized_imports: string;
  has_authorized_imports: boolean;
  custom_instructions: string;
  code_block_opening_tag: string;
  code_block_closing_tag: string;
  [name: string]: string | boolean;
}

/**
 * The system prompt of the specification's appendix D with its examples, as a Handlebars template. Fill it in with
 * `noEscape: true`.
 */
export const CODE_AGENT_SYSTEM_PROMPT: string;

/**
 * The system prompt of an agent that writes Python (specification of `PyodideExecutor`, section 13) with its examples.
 * It is a Handlebars template with the same placeholders.
 */
export const CODE_AGENT_PYTHON_SYSTEM_PROMPT: string;

/**
 * The system prompt of a code agent that writes JavaScript or Python.
 *
 * @throws `TypeError` for wrong options, tools that cannot be declared, and unknown placeholders
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
 * The values that {@link renderSystemPrompt} inserts, for templates that need all of Handlebars.
 *
 * @throws `TypeError` as {@link renderSystemPrompt}
 */
export function systemPromptVariables(options?: SystemPromptOptions): SystemPromptVariables;

/**
 * Declares a tool with a JSDoc comment, in the form that models read.
 *
 * Types are TypeScript types. `image` and `audio` keep their names. If the tool takes one object, its properties are
 * listed. The type of the whole object is added if the properties do not describe it completely: alternatives, records,
 * lists. Each described member has its own line at any depth (`args.items[].name`).
 *
 * `$ref` is followed within the document. Recursive schemas are `any`, as is everything beyond 500 schemas or 12
 * levels.
 *
 * @throws `TypeError` that names the tool and the problem, such as a name that is not an identifier or invalid inputs
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
 * Declares a tool as a Python function with annotations and a docstring, in the form that models read.
 *
 * A tool that takes one object is called with keywords. It is called with `args` if its properties do not describe the
 * object completely, or if they are not valid Python names. Annotations cannot express the keys of objects. The
 * docstring therefore adds the TypeScript type of objects in parameters and results, and the descriptions of their
 * members.
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
 * Extracts the code from a model's answer. The code is taken from the first of these sources that exists:
 *
 * - the text between the tags
 * - the fenced blocks marked `js`, `javascript`, `ts` or `typescript`
 * - the whole answer, if it is a program and more than a word or a number
 *
 * Several blocks are joined by a blank line. An unclosed block extends to the end of the answer, because generation
 * stops at the closing tag. If one block stands on its own lines, tags within a line of prose are ignored. Text in
 * `<think>…</think>` before the code is ignored.
 *
 * Tags inside strings, templates and comments of the code do not end it. The candidates for the closing tag are tried
 * in order, starting with those at the beginning of a line. The first candidate at which the code parses is used. Time
 * is proportional to the length of the answer: the parser runs at most 200 times, on at most four times the length of
 * the answer. Line breaks become `\n`.
 *
 * @param tags opening and closing tag; default `['<code>', '</code>']`
 * @throws {@link CodeParsingError} if there is no code; its message is written for the model
 * @throws `TypeError` for wrong arguments
 */
export function parseCodeBlobs(text: string, tags?: readonly [string, string]): string;

/** A model's answer contains no code. The message tells the model what to send. */
export class CodeParsingError extends Error {
  private constructor();
  readonly name: 'CodeParsingError';
  readonly code: 'ERR_CODE_NOT_FOUND';
}
