// @ts-check
'use strict';

const { toJavaScriptSignature, toPythonSignature } = require('../prompts');
const { BASE_BUILTIN_MODULES } = require('../../python/options');

/**
 * How a language of code is told to models, and what runs it.
 *
 * @typedef {object} LanguageText
 * @property {string} toolName default name of the tool
 * @property {string} program what the input is
 * @property {(declarations: string, livesOn: boolean) => string} description of the tool
 * @property {(tool: import('../prompts').ToolDefinition) => string} declare a tool that takes one object
 * @property {(name: string, isAsync: boolean) => string} declareFunction one that takes whatever arguments
 * @property {boolean} namesArguments whether calls name the members of that object
 */

/** @type {LanguageText} */
const JAVASCRIPT = {
  toolName: 'run_javascript',
  program: 'JavaScript or TypeScript',
  description: (declarations, livesOn) =>
    `Runs JavaScript that can call the functions below, and gives what its \
last expression or a top-level \`return\` gives. Use it instead of several calls of single tools: call, loop, filter \
and combine in one program, and give back only what is needed. \`await\` works at the top level. console.log is \
collected. There is no network, no file system, no timer and no import: only the language and these functions. \
${livesOn ? 'Variables and functions live on from call to call.' : 'Each call starts afresh.'}

${declarations}`.trimEnd(),
  declare: toJavaScriptSignature,
  declareFunction: (name, isAsync) => {
    const keyword = isAsync ? 'async function' : 'function';
    return name.includes('.') ? `${name} = ${keyword} (...args) {};` : `${keyword} ${name}(...args) {}`;
  },
  namesArguments: false,
};

/** @type {LanguageText} */
const PYTHON = {
  toolName: 'run_python',
  program: 'Python',
  description: (declarations, livesOn) =>
    `Runs Python that can call the functions below, and gives the value of its last expression. Use it instead of \
several calls of single tools: call, loop, filter and combine in one program, and give back only what is needed. The \
functions are synchronous: call them without await. print is collected. There is no network and no file system, and of \
modules only ${BASE_BUILTIN_MODULES.join(', ')}, unless others were allowed. \
${livesOn ? 'Variables and functions live on from call to call.' : 'Each call starts afresh.'}

${declarations}`.trimEnd(),
  declare: toPythonSignature,
  declareFunction: (name) => `def ${name}(*args, **kwargs): ...`,
  namesArguments: true,
};

/** By the option `language` of executors. */
const LANGUAGES = new Map([
  ['auto', JAVASCRIPT],
  ['javascript', { ...JAVASCRIPT, program: 'JavaScript' }],
  ['typescript', { ...JAVASCRIPT, program: 'TypeScript' }],
  ['python', PYTHON],
]);

/**
 * @param {string} [language]
 * @returns {LanguageText}
 */
function languageText(language = 'auto') {
  return LANGUAGES.get(language) ?? JAVASCRIPT;
}

module.exports = { languageText };
