import { globalsText, reachText } from '../../contract/globals-text';
import { memberIdentifier, pythonIdentifier, toolIdentifier } from '../../contract/tool-names';
import { typeDeclarations } from '../../catalog/type-declarations';
import { toJavaScriptSignature, toPythonSignature } from '../prompts';
import { pythonDeclarations } from '../prompts/python-declarations';
import type { DeclaredFunction, Declarations } from '../../catalog/type-declarations';
import type { Foreign } from '../../contract/foreign';
import type { Offer } from '../../contract/executor';
import type { ToolDefinition } from '../prompts';

export interface LanguageText {
  /** Default name of the tool. */
  toolName: string;
  /** Title of the tool, for people. */
  title: string;
  /** The noun for the input. */
  program: string;
  /** The unit that `maxOperations` counts. */
  operations: string;
  /** Description of the tool. `more` are sentences, each with a leading space. */
  description: (declarations: string, livesOn: boolean, offer: Offer, more?: string) => string;
  /** The sentences of a description that list what else code can use, each with a leading space. */
  surroundings: (offer: Offer, hasFunctions: boolean) => string;
  /** Declares a function in short, and says everything if {@link isShownInShort} holds for its schemas. */
  declare: (declared: DeclaredFunction) => string;
  /** Declares functions with everything that their schemas say. Types that they share are declared once. */
  declareFully: (functions: DeclaredFunction[], maxChars: number) => Declarations;
  /** Says how code finds the functions of an index. `holder` is the object that has `search` and `describe`. */
  lookupText: (holder: string, count: number) => string;
  /** The identifier that code uses for a tool. */
  identifier: (name: string) => string;
  /** The identifier that code uses for a function of a namespace. */
  memberIdentifier: (name: string) => string;
  /** Whether calls name the members of the input object. */
  namesArguments: boolean;
}

const JAVASCRIPT: LanguageText = {
  toolName: 'run_javascript',
  title: 'Run JavaScript',
  program: 'JavaScript or TypeScript',
  operations: 'loop iterations',
  description: (declarations, livesOn, offer, more = '') =>
    `Runs JavaScript${functionsText(declarations)}, and returns the value of its \
last expression or of a top-level \`return\`.${useText(declarations)} \`await\` works at the top level. console.log is \
collected. ${lifeText(livesOn)}${JAVASCRIPT.surroundings(offer, declarations !== '')}${more}

${declarations}`.trimEnd(),
  surroundings: ({ imports, globals, network, variables = [] }, hasFunctions) => {
    const copies = 'They are read-only: to change one, copy it ([...rows], structuredClone(value)).';
    const given = variables.length === 0 ? '' : `${variablesText(variables)} ${copies}`;
    if (imports === undefined) return given;
    const names = imports.map((name) => JSON.stringify(name)).join(', ');
    const importText = names === '' ? 'no import' : `no import except \`await import(name)\` of ${names}`;
    const { missing, given: extra } = globalsText(globals, network);
    const absent = [...missing, importText].join(', ');
    return `${given} There is ${absent}, no require and no process: only the language\
${hasFunctions ? ' and the functions below' : ''}.${extra === '' ? '' : ` ${extra}`}`;
  },
  declare: (declared) => {
    const { name, input, isAsync } = declared;
    if (input !== undefined) return toJavaScriptSignature(definitionOf(declared));
    const keyword = isAsync ? 'async function' : 'function';
    return name.includes('.') ? `${name} = ${keyword} (...args) {};` : `${keyword} ${name}(...args) {}`;
  },
  declareFully: typeDeclarations,
  lookupText: (holder, count) =>
    `There are ${count} functions, too many to declare all of them here. Find the ones you need and read their \
declarations before you call them: \`${holder}.search('words')\` returns [{ name, description }], the best first, and \
\`${holder}.describe(name, …)\` returns the declarations of functions as TypeScript. Call each function by its own name.`,
  identifier: toolIdentifier,
  memberIdentifier,
  namesArguments: false,
};

const PYTHON: LanguageText = {
  toolName: 'run_python',
  title: 'Run Python',
  program: 'Python',
  operations: 'lines',
  description: (declarations, livesOn, offer, more = '') =>
    `Runs Python${functionsText(declarations)}, and returns the value of its last expression.${useText(declarations)}\
${declarations === '' ? '' : ' The functions are synchronous: call them without await.'} print is collected. \
${lifeText(livesOn)}${PYTHON.surroundings(offer, declarations !== '')}${more}

${declarations}`.trimEnd(),
  surroundings: ({ imports, folder, network, variables = [] }, hasFunctions) => {
    const given = variables.length === 0 ? '' : variablesText(variables);
    if (imports === undefined) return given;
    const place = hasFunctions ? 'Apart from the functions, there' : 'There';
    const files = `no file system${folder === undefined ? '' : ` except the folder ${folder}`}`;
    const modules = imports.includes('*') ? '' : ` The only modules are ${imports.join(', ')}.`;
    if (network === undefined) return `${given} ${place} is no network and ${files}.${modules}`;
    return `${given} ${place} is ${files}.${modules} ${reachText('`urllib.request` and `requests` reach', network)}`;
  },
  declare: (declared) => {
    if (declared.input === undefined) return `def ${declared.name}(*args, **kwargs): ...`;
    return toPythonSignature(definitionOf(declared));
  },
  declareFully: pythonDeclarations,
  lookupText: (holder, count) =>
    `There are ${count} functions, too many to declare all of them here. Find the ones you need and read their \
declarations before you call them: \`${holder}.search('words')\` returns a list of {'name', 'description'}, the best first, \
and \`${holder}.describe(name, …)\` returns the declarations of functions. Call each function by its own name.`,
  identifier: pythonIdentifier,
  memberIdentifier: pythonIdentifier,
  namesArguments: true,
};

function definitionOf({ name, description, input, output, isAsync }: DeclaredFunction): ToolDefinition {
  const inputSchema = input as ToolDefinition['inputSchema'];
  return { name, description, inputSchema, ...(output !== undefined && { outputSchema: output }), async: isAsync };
}

function functionsText(declarations: string) {
  return declarations === '' ? '' : ' that can call the functions below';
}

function useText(declarations: string) {
  if (declarations === '') return '';
  return (
    ' Use it instead of several calls to single tools: call, loop, filter and combine in one program, and return only ' +
    'what is needed.'
  );
}

function lifeText(livesOn: boolean) {
  return livesOn ? 'Variables and functions persist from call to call.' : 'Each call starts afresh.';
}

function variablesText(names: readonly string[]) {
  return ` These variables are available: ${names.join(', ')}.`;
}

/** Languages by the value of the executors' option `language`. */
const LANGUAGES = new Map([
  ['auto', JAVASCRIPT],
  ['javascript', { ...JAVASCRIPT, program: 'JavaScript' }],
  ['typescript', { ...JAVASCRIPT, program: 'TypeScript' }],
  ['python', PYTHON],
]);

/** The language of a code tool. */
export function languageOf({ executor, language }: { executor?: Foreign; language?: Foreign }) {
  return languageText(executor?.language ?? language);
}

export function languageText(language: string = 'auto'): LanguageText {
  return LANGUAGES.get(language) ?? JAVASCRIPT;
}
