'use strict';

const { parseCodeBlobs } = require('./code-blobs');
const { CodeParsingError } = require('./code-parsing-error');
const { CODE_AGENT_PYTHON_SYSTEM_PROMPT } = require('./python-template');
const { toPythonSignature } = require('./python-signature');
const { renderSystemPrompt, systemPromptVariables } = require('./render');
const { toJavaScriptSignature } = require('./signature');
const { CODE_AGENT_SYSTEM_PROMPT } = require('./template');

module.exports = {
  CODE_AGENT_PYTHON_SYSTEM_PROMPT,
  CODE_AGENT_SYSTEM_PROMPT,
  CodeParsingError,
  parseCodeBlobs,
  renderSystemPrompt,
  systemPromptVariables,
  toJavaScriptSignature,
  toPythonSignature,
};
