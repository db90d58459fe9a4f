// @ts-check
'use strict';

const { memberIdentifier, pythonIdentifier, toolIdentifier } = require('../../contract/tool-names');
const { toJavaScriptSignature, toPythonSignature } = require('../prompts');

/**
 * @typedef {import('../../contract/executor').Offer} Offer
 *
 * How a language of code is told to models, and what runs it.
 *
 * @typedef {object} LanguageText
 * @property {string} toolName default name of the tool
 * @property {string} title of the tool, for people
 * @property {string} program what the input is
 * @property {string} operations what `maxOperations` counts
 * @property {(declarations: string, livesOn: boolean, offer: Offer, limits?: string) => string} description of the tool; `limits` is a
 * sentence with a space in front
 * @property {(offer: Offer, hasFunctions: boolean) => string} surroundings the sentences of a description that say what else there
 * is, each with a space in front
 * @property {(tool: import('../prompts').ToolDefinition) => string} declare a tool that takes one object
 * @property {(name: string, isAsync: boolean) => string} declareFunction one that takes whatever arguments
 * @property {(name: string) => string} identifier that code calls a tool by
 * @property {(name: string) => string} memberIdentifier that it calls a function of a namespace by
 * @property {boolean} namesArguments whether calls name the members of that object
 */

/** @type {LanguageText} */
const JAVASCRIPT = {
  toolName: 'run_javascript',
  title: 'Run JavaScript',
  program: 'JavaScript or TypeScript',
  operations: 'loop iterations',
  description: (declarations, livesOn, offer, limits = '') =>
    `Runs JavaScript${functionsText(declarations)}, and gives what its \
last expression or a top-level \`return\` gives.${useText(declarations)} \`await\` works at the top level. console.log is \
collected. ${lifeText(livesOn)}${JAVASCRIPT.surroundings(offer, declarations !== '')}${limits}

${declarations}`.trimEnd(),
  surroundings: ({ imports, variables = [] }, hasFunctions) => {
    const copies = 'They are read-only: to change one, copy it ([...rows], structuredClone(value)).';
    const given = variables.length === 0 ? '' : `${variablesText(variables)} ${copies}`;
    if (imports === undefined) return given;
    const names = imports.map((name) => JSON.stringify(name)).join(', ');
    const importText = names === '' ? 'no import' : `no import but \`await import(name)\` of ${names}`;
    return `${given} There is no network, no timer, ${importText}, no require and no process: only the language\
${hasFunctions ? ' and the functions below' : ''}.`;
  },
  declare: toJavaScriptSignature,
  declareFunction: (name, isAsync) => {
    const keyword = isAsync ? 'async function' : 'function';
    return name.includes('.') ? `${name} = ${keyword} (...args) {};` : `${keyword} ${name}(...args) {}`;
  },
  identifier: toolIdentifier,
  memberIdentifier,
  namesArguments: false,
};

/** @type {LanguageText} */
const PYTHON = {
  toolName: 'run_python',
  title: 'Run Python',
  program: 'Python',
  operations: 'lines',
  description: (declarations, livesOn, offer, limits = '') =>
    `Runs Python${functionsText(declarations)}, and gives the value of its last expression.${useText(declarations)}\
${declarations === '' ? '' : ' The functions are synchronous: call them without await.'} print is collected. \
${lifeText(livesOn)}${PYTHON.surroundings(offer, declarations !== '')}${limits}

${declarations}`.trimEnd(),
  surroundings: ({ imports, folder, variables = [] }, hasFunctions) => {
    const given = variables.length === 0 ? '' : variablesText(variables);
    if (imports === undefined) return given;
    const place = hasFunctions ? 'Beside the functions there' : 'There';
    const files = `no file system${folder === undefined ? '' : ` but the folder ${folder}`}`;
    const modules = imports.includes('*') ? '' : `, and of modules only ${imports.join(', ')}`;
    return `${given} ${place} is no network and ${files}${modules}.`;
  },
  declare: toPythonSignature,
  declareFunction: (name) => `def ${name}(*args, **kwargs): ...`,
  identifier: pythonIdentifier,
  memberIdentifier: pythonIdentifier,
  namesArguments: true,
};

/** @param {string} declarations */
function functionsText(declarations) {
  return declarations === '' ? '' : ' that can call the functions below';
}

/** @param {string} declarations */
function useText(declarations) {
  if (declarations === '') return '';
  return (
    ' Use it instead of several calls of single tools: call, loop, filter and combine in one program, and give back only ' +
    'what is needed.'
  );
}

/** @param {boolean} livesOn */
function lifeText(livesOn) {
  return livesOn ? 'Variables and functions live on from call to call.' : 'Each call starts afresh.';
}

/** @param {readonly string[]} names */
function variablesText(names) {
  return ` These variables are there: ${names.join(', ')}.`;
}

/** By the option `language` of executors. */
const LANGUAGES = new Map([
  ['auto', JAVASCRIPT],
  ['javascript', { ...JAVASCRIPT, program: 'JavaScript' }],
  ['typescript', { ...JAVASCRIPT, program: 'TypeScript' }],
  ['python', PYTHON],
]);

/**
 * That of a code tool.
 *
 * @param {{ executor?: any, language?: any }} options
 */
function languageOf({ executor, language }) {
  return languageText(executor?.language ?? language);
}

/**
 * @param {string} [language]
 * @returns {LanguageText}
 */
function languageText(language = 'auto') {
  return LANGUAGES.get(language) ?? JAVASCRIPT;
}

module.exports = { languageOf, languageText };
