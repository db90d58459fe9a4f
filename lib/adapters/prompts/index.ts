import { parseCodeBlobs } from './code-blobs';
import { CodeParsingError } from './code-parsing-error';
import { CODE_AGENT_PYTHON_SYSTEM_PROMPT } from './python-template';
import { toPythonSignature } from './python-signature';
import { renderSystemPrompt, systemPromptVariables } from './render';
import { toJavaScriptSignature } from './signature';
import { CODE_AGENT_SYSTEM_PROMPT } from './template';

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
