import { describe } from '../../contract/describe';
import { record } from '../../contract/options';
import { BASE_BUILTIN_MODULES } from '../../contract/python-modules';
import { AGENT_INPUTS } from './agent-inputs';
import { isSchema } from '../../catalog/schema-types';
import { CODE_AGENT_PYTHON_SYSTEM_PROMPT } from './python-template';
import { toPythonSignature } from './python-signature';
import { toJavaScriptSignature } from './signature';
import { checkTags, DEFAULT_TAGS } from './tags';
import { CODE_AGENT_SYSTEM_PROMPT } from './template';
import type { Foreign } from '../../contract/foreign';
import type { FunctionDefinition, ListOf, ManagedAgentDefinition, ToolDefinition } from './tool-definition';

export interface SystemPromptOptions {
  /** The tools, in the order in which the model reads them. `final_answer` is added if it is missing. */
  tools?: ListOf<ToolDefinition | FunctionDefinition> | undefined;
  managedAgents?: ListOf<ManagedAgentDefinition> | undefined;
  /**
   * The modules that may be imported: the executor's option of the same name. Default: the executor's default, which is
   * none for JavaScript.
   */
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

const KNOWN_OPTIONS = [
  'tools',
  'managedAgents',
  'authorizedImports',
  'customInstructions',
  'codeBlockTags',
  'template',
  'language',
];

/** The template and the declaration functions for each value of the option `language`. */
const LANGUAGES = {
  javascript: { template: CODE_AGENT_SYSTEM_PROMPT, signature: toJavaScriptSignature },
  python: { template: CODE_AGENT_PYTHON_SYSTEM_PROMPT, signature: toPythonSignature },
};

/** The executor's own tool, which every agent has. */
const FINAL_ANSWER = {
  name: 'final_answer',
  description: 'Provides the final answer to the task, and ends it.',
  inputs: { answer: { type: 'any', description: 'The final answer.' } },
  output_type: false,
  async: false,
};

/** Handlebars tags. A block tag that is alone on its line removes the whole line, as in Handlebars. */
const TAG =
  /^[ \t]*\{\{(#if \w+|\/if)\}\}[ \t]*(?:\r?\n|(?![^]))|\{\{(#if \w+|\/if)\}\}|\{\{\{(\w+)\}\}\}|\{\{(\w+)\}\}|\{\{/gm;

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
export function renderSystemPrompt(options?: SystemPromptOptions): string {
  const variables = systemPromptVariables(options);
  const { template } = options ?? {};
  if (template !== undefined && typeof template !== 'string') {
    throw new TypeError(`options.template must be a string, got ${describe(template)}`);
  }
  return populate(template ?? languageOf(options).template, variables);
}

/** @throws {TypeError} */
function languageOf({ language = 'javascript' }: SystemPromptOptions | undefined = {}) {
  if (Object.hasOwn(LANGUAGES, language)) return LANGUAGES[language];
  throw new TypeError(`options.language must be "javascript" or "python", got ${describe(language)}`);
}

/**
 * The values that {@link renderSystemPrompt} inserts, for templates that need all of Handlebars.
 *
 * @throws `TypeError` as {@link renderSystemPrompt}
 */
export function systemPromptVariables(options?: SystemPromptOptions): SystemPromptVariables {
  const given = record(options, 'options', KNOWN_OPTIONS);
  const { signature } = languageOf(given);
  const tools = list(given.tools, 'options.tools');
  const agents = list(given.managedAgents, 'options.managedAgents');
  const byDefault = given.language === 'python' ? BASE_BUILTIN_MODULES : [];
  const imports = list(given.authorizedImports ?? byDefault, 'options.authorizedImports');
  const [opening, closing] = checkTags(given.codeBlockTags ?? DEFAULT_TAGS, 'options.codeBlockTags');
  const instructions = given.customInstructions ?? '';
  if (typeof instructions !== 'string') {
    throw new TypeError(`options.customInstructions must be a string, got ${describe(instructions)}`);
  }
  const hasFinalAnswer = tools.some((tool) => tool?.name === 'final_answer');
  return {
    tools_prompt: [...tools, ...(hasFinalAnswer ? [] : [FINAL_ANSWER])].map(signature).join('\n\n'),
    managed_agents_prompt: agents.map((agent) => signature(agentDefinition(agent))).join('\n\n'),
    has_managed_agents: agents.length > 0,
    authorized_imports: JSON.stringify(imports),
    has_authorized_imports: imports.length > 0,
    custom_instructions: instructions,
    code_block_opening_tag: opening,
    code_block_closing_tag: closing,
  };
}

function agentDefinition(agent: Foreign) {
  const { name, description } = isSchema(agent) ? agent : {};
  return { name, description, inputs: AGENT_INPUTS, output_type: 'any' };
}

/** The items of an option: an array, or the values of a map or object by name. */
function list(value: Foreign, path: string): Foreign[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  if (value instanceof Map) return [...value.values()];
  if (isSchema(value)) return Object.values(value);
  throw new TypeError(`${path} must be an array, or a map or object by name, got ${describe(value)}`);
}

/**
 * Fills in a template as Handlebars does without escaping: `{{name}}`, `{{{name}}}` and `{{#if name}}…{{/if}}`. Tags
 * inside values are not expanded.
 */
function populate(template: string, variables: Record<string, Foreign>) {
  const conditions: boolean[] = [];
  let filled = '';
  let from = 0;
  const add = (text: string) => {
    if (conditions.every(Boolean)) filled += text;
  };
  for (const match of template.matchAll(TAG)) {
    const [tag, lineBlock, inlineBlock, raw, plain] = match;
    add(template.slice(from, match.index));
    from = match.index + tag.length;
    const block = lineBlock ?? inlineBlock;
    if (block === '/if') {
      if (conditions.pop() === undefined) throw new TypeError('the template has an {{/if}} without {{#if}}');
    } else if (block !== undefined) {
      conditions.push(Boolean(variable(variables, block.slice('#if '.length))));
    } else {
      add(String(variable(variables, raw ?? plain ?? template.slice(match.index, from + 20))));
    }
  }
  if (conditions.length > 0) throw new TypeError('the template has an {{#if}} without {{/if}}');
  return filled + template.slice(from);
}

function variable(variables: Record<string, Foreign>, name: string) {
  if (Object.hasOwn(variables, name)) return variables[name];
  throw new TypeError(
    `the template uses ${JSON.stringify(name)}; it can use {{name}}, {{{name}}} and {{#if name}}…{{/if}} with ` +
      `${Object.keys(variables).join(', ')}. For anything else, render it with Handlebars and systemPromptVariables(options)`,
  );
}
