/**
 * The parts of an agent loop around the executor: the system prompt of appendix D, declarations of tools, and
 * extraction of the code from a model's answer.
 *
 * @packageDocumentation
 */

import { parseCodeBlobs } from './code-blobs';
import { CodeParsingError } from './code-parsing-error';
import { CODE_AGENT_PYTHON_SYSTEM_PROMPT } from './python-template';
import { toPythonSignature } from './python-signature';
import { renderSystemPrompt, systemPromptVariables } from './render';
import { toJavaScriptSignature } from './signature';
import { CODE_AGENT_SYSTEM_PROMPT } from './template';
import type { SystemPromptOptions, SystemPromptVariables } from './render';
import type {
  FunctionDefinition,
  JsonSchema,
  ListOf,
  ManagedAgentDefinition,
  ToolDefinition,
  ToolInput,
  ToolTypeName,
} from './tool-definition';

export {
  CODE_AGENT_PYTHON_SYSTEM_PROMPT,
  CODE_AGENT_SYSTEM_PROMPT,
  CodeParsingError,
  parseCodeBlobs,
  renderSystemPrompt,
  systemPromptVariables,
  toJavaScriptSignature,
  toPythonSignature,
};
export type {
  FunctionDefinition,
  JsonSchema,
  ListOf,
  ManagedAgentDefinition,
  SystemPromptOptions,
  SystemPromptVariables,
  ToolDefinition,
  ToolInput,
  ToolTypeName,
};
