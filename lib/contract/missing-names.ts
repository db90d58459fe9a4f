import { isIdentifier } from './identifiers';
import { hintOfPythonMethod, hintOfPythonName, hintOfPythonSyntax } from './python-habits';
import type { ExecutorErrorDetails } from './errors';

// Hints about names of other environments, for the author of code. `crates/hints` finds names that are only mistyped.

/**
 * Property of errors with the hint of {@link hintOfMissing}. It has less priority than fixes of findings, and than
 * hints in the details.
 */
export const MISSING_HINT: unique symbol = Symbol('missing');

/** The names that code can use, as far as the host knows them. */
export interface Surroundings {
  /** names of functions, with their namespaces */
  functions: readonly string[];
  /** the object with functions that find the others, if there is one */
  lookups: string | undefined;
  /** modules that code may import */
  imports: readonly string[];
  /** groups of the option `globals` that code has */
  globals?: readonly string[] | undefined;
}

const TIMERS = 'There are no timers: leave the wait out, and `await` the functions that you call.';
const NETWORK = 'There is no network.';
const NODE = 'There is no Node.js: arguments, environment variables and the system cannot be read.';
const BROWSER = 'There is no browser: return the value, or log it with `console.log(…)`.';
const THREADS = 'There is only one thread: use ordinary arrays and typed arrays.';
const BYTES = 'Use `Uint8Array`, `TextEncoder` and `TextDecoder`, and `btoa` and `atob` for base64.';
const STREAMS = 'There are no streams: use arrays and async generators.';
const FILES = 'There is no Node.js file system.';
const LIBRARIES = 'There are no libraries: use the methods of the language.';
const ENDING = 'Leave it out: a program ends after its last statement.';
const REQUIRE = 'There is no `require`.';
const SIGNALS = 'Leave it out: the host ends what takes too long.';

/** Hints by names. A hint that asks for a function is followed by the names of the functions. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate requestAnimationFrame': TIMERS,
    'sleep delay wait pause timeout': TIMERS,
    'fetch axios got ky superagent request XMLHttpRequest WebSocket EventSource Headers Request Response FormData http https requests urllib':
      NETWORK,
    require: REQUIRE,
    'module exports': 'Leave the export out: end the program with an expression, or with a call of the function.',
    'process Deno Bun os sys subprocess child_process __dirname __filename': NODE,
    Buffer: `There is no \`Buffer\`. ${BYTES}`,
    'Blob File FileReader': BYTES,
    crypto: 'There is no `crypto`: use `Math.random()` where nothing has to be secret.',
    performance: 'There is no `performance`: use `Date.now()`.',
    Temporal: 'There is no `Temporal`: use `Date` and `Intl.DateTimeFormat`.',
    WebAssembly: 'There is no `WebAssembly`: write the algorithm in JavaScript.',
    'fs fsPromises readFile readFileSync writeFile writeFileSync existsSync readdirSync mkdirSync': FILES,
    'path util': 'There are no Node.js modules: use the methods of strings and objects.',
    'window document navigator location history localStorage sessionStorage indexedDB alert confirm prompt HTMLElement':
      BROWSER,
    '$ jQuery DOMParser Image Audio': BROWSER,
    'Worker SharedArrayBuffer Atomics': THREADS,
    'ReadableStream WritableStream TransformStream TextDecoderStream CompressionStream DecompressionStream': STREAMS,
    'AbortController AbortSignal': SIGNALS,
    '_ lodash moment dayjs d3 cheerio np numpy pd pandas': LIBRARIES,
    'exit quit': ENDING,
    'input readline': 'Nobody can answer while a program runs: ask in your reply.',
  }).flatMap(([names, hint]) => names.split(' ').map((name) => [name, hint] as const)),
);
/** Hints that apply in place of others where code has a group of the option `globals`: what it has then. */
const INSTEAD: ReadonlyMap<string, { group: string; hint: string }> = new Map([
  [
    TIMERS,
    {
      group: 'timers',
      hint: 'Wait with `await new Promise((resolve) => setTimeout(resolve, milliseconds))`.',
    },
  ],
  [NETWORK, { group: 'fetch', hint: 'Make requests with `await fetch(url)`.' }],
  [BYTES, { group: 'fetch', hint: 'Read a blob with `await blob.text()` or `await blob.bytes()`.' }],
  [
    STREAMS,
    {
      group: 'fetch',
      hint: 'Read a body with `await response.text()`, or its parts with `for await (const part of response.body)`.',
    },
  ],
]);
/** Hints that ask for a function of the host. */
const WITH_FUNCTIONS = new Set([NETWORK, NODE, FILES, REQUIRE]);
/** Objects that contain the functions in other environments for code of models. */
const PREFIXES = new Set(
  'tools tool toolbox codemode functions function_calls api apis mcp host client sdk default_api namespace agent skills env ctx context'.split(
    ' ',
  ),
);
const CHANGES_FILES = new Set(['write', 'edit', 'move', 'remove', 'writeFile', 'writeText']);
/** Methods of values that a variable may have. */
const METHODS = new Set(
  [Object, Function, Array, String, Number, Boolean, BigInt, Date, RegExp, Map, Set, Promise, Uint8Array].flatMap(
    ({ prototype }) => Object.getOwnPropertyNames(prototype),
  ),
);
const GLOBALS = /^(?:globalThis|self|window|global)\.([\p{ID_Continue}$]+) is not a function$/u;
/** A hint that only lists the members of an object. */
const WEAK = /^`[^`]+` has (?:no )?`/;
/** Longer code is not searched. */
const MAX_CODE = 256 << 10;
const MAX_NAMES = 12;
/** Namespaces are not deeper. */
const MAX_DEPTH = 32;

const NOT_ASYNC =
  '`await` needs an async function: write `async` before `function` or before the parameters, and `await` where it is called. Instead of `forEach` use `for (const item of items) { … }`.';

/**
 * The hint for a failure of code that concerns a name, if there is one. It replaces another hint only if the other hint
 * cannot know the name.
 *
 * @param details of the failure
 */
export function hintOfMissing(
  code: string,
  { name, message = '', hint, diagnostics }: ExecutorErrorDetails,
  surroundings: Surroundings,
): string | undefined {
  const found = diagnostics?.find(({ severity }) => severity === 'ERROR');
  if (found !== undefined) return found.fix === undefined ? hintOfSyntax(code, found, surroundings) : undefined;
  const [, ofGlobal] = GLOBALS.exec(message) ?? [];
  if (ofGlobal !== undefined) return ofName(code, ofGlobal, surroundings) ?? hint;
  const ofParameter = hintOfParameter(code, message, hint, surroundings);
  if (ofParameter !== undefined) return ofParameter;
  const ofLookups = hintOfLookups(code, message, surroundings);
  if (ofLookups !== undefined) return ofLookups;
  if (name === 'TypeError' && (hint === undefined || WEAK.test(hint))) {
    const ofMethod = isOfFunctions(message, surroundings) ? undefined : hintOfPythonMethod(message);
    if (ofMethod !== undefined) return ofMethod;
  }
  if (hint !== undefined) return hint;
  if (name === 'ReferenceError' && message.endsWith(' is not defined')) {
    return ofName(code, message.slice(0, -' is not defined'.length), surroundings);
  }
  const [, called] = /^([\p{ID_Continue}$.]+)\.[\p{ID_Continue}$]+ is not a function$/u.exec(message) ?? [];
  if (name !== 'TypeError' || called === undefined || !surroundings.functions.includes(called)) return undefined;
  return `\`${called}\` is a function itself: call \`${called}(…)\`.`;
}

/** The same for Python, for functions that are not found because there are too many to declare them. */
export function hintOfMissingInPython(
  code: string,
  { message = '' }: ExecutorErrorDetails,
  surroundings: Surroundings,
): string | undefined {
  const { lookups } = surroundings;
  if (lookups === undefined) return undefined;
  const [, attribute] = /^'types\.SimpleNamespace' object has no attribute '(\w+)'/.exec(message) ?? [];
  const [, name] = /^name '(\w+)' is not defined/.exec(message) ?? [];
  const used =
    attribute && ofMember(code, surroundings, (path) => path === attribute || path.startsWith(`${attribute}.`));
  const missing = attribute ?? name;
  if (used !== undefined || missing === undefined || !isCalled(code, missing)) return used;
  return `There is no function \`${missing}\`. ${listed(surroundings)}`;
}

/** The hint for a program that is a function and expects the functions as its parameter. */
function hintOfParameter(code: string, message: string, hint: string | undefined, surroundings: Surroundings) {
  const [, prefix] = /^`([\p{ID_Continue}$]+)` is undefined\.$/u.exec(hint ?? '') ?? [];
  if (prefix !== undefined && PREFIXES.has(prefix)) return ofPrefix(code, prefix, surroundings);
  const [, name] = /^Cannot destructure property '([\p{ID_Continue}$]+)' of /u.exec(message) ?? [];
  const isProgram = name !== undefined && /^[^{}]*\(\s*\{/.test(code);
  return isProgram && surroundings.functions.includes(name)
    ? `Functions are globals, not parameters: call \`${name}(…)\`.`
    : undefined;
}

/** The hint for code that calls a function as a member of the object that only finds functions. */
function hintOfLookups(code: string, message: string, surroundings: Surroundings) {
  const { lookups } = surroundings;
  if (lookups === undefined) return undefined;
  const [, called] = /^([\p{ID_Continue}$.]+) is not a function$/u.exec(message) ?? [];
  if (called?.startsWith(`${lookups}.`)) {
    const name = called.slice(lookups.length + 1);
    return ofMember(code, surroundings, () => true) ?? `There is no function \`${name}\`. ${listed(surroundings)}`;
  }
  const [, read] = /^Cannot read properties of undefined \(reading '([\p{ID_Continue}$]+)'\)$/u.exec(message) ?? [];
  return read === undefined ? undefined : ofMember(code, surroundings, (path) => path.endsWith(`.${read}`));
}

/** The hint for a function that code calls as a member of `tools`. */
function ofMember(code: string, { functions, lookups = '' }: Surroundings, isWanted: (path: string) => boolean) {
  const known = new Set(functions);
  const used = membersOf(code, lookups).find((path) => known.has(path) && isWanted(path));
  return used === undefined ? undefined : `Call the function without \`${lookups}.\`: \`${used}(…)\`.`;
}

function hintOfSyntax(
  code: string,
  { message, location }: { message: string; location?: { line: number; column: number } },
  surroundings: Surroundings,
) {
  if (/^await (?:isn't|is not) allowed in non-async function|^await is only valid in async/.test(message)) {
    return NOT_ASYNC;
  }
  if (location === undefined) return undefined;
  const instead = (module: string) => ofName(code, module, surroundings);
  return hintOfPythonSyntax({ lines: code.slice(0, MAX_CODE).split('\n'), ...location }, { ...surroundings, instead });
}

/** Whether the message is about a member of an object that contains functions of the host. */
function isOfFunctions(message: string, { functions }: Surroundings) {
  const [owner] = /^[\p{ID_Continue}$]+(?=\.)/u.exec(message) ?? [];
  return owner !== undefined && functions.some((path) => path === owner || path.startsWith(`${owner}.`));
}

function ofName(code: string, name: string, surroundings: Surroundings) {
  const { functions, imports } = surroundings;
  if (PREFIXES.has(name)) return ofPrefix(code, name, surroundings);
  if (CHANGES_FILES.has(name) && functions.includes('readText') && !functions.includes('write')) {
    return `Files can only be read here: there is no \`${name}\`. ${listed(surroundings)}`.trim();
  }
  const known = NAMES.get(name);
  const instead = known === undefined ? undefined : INSTEAD.get(known);
  if (instead !== undefined && surroundings.globals?.includes(instead.group)) return instead.hint;
  if (known === REQUIRE && imports.length > 0) {
    return `${REQUIRE} Write \`await import(name)\` with one of: ${imports.slice(0, MAX_NAMES).join(', ')}.`;
  }
  if (known === FILES && functions.includes('readText')) return `${FILES} Call \`await readText(path)\`.`;
  if (known !== undefined) return WITH_FUNCTIONS.has(known) ? `${known} ${listed(surroundings)}`.trim() : known;
  const ofPython = hintOfPythonName(name, isCalled(code, name));
  if (ofPython !== undefined) return ofPython;
  const members = membersOf(code, name);
  if (members.includes('sleep')) return ofName(code, 'sleep', surroundings);
  if (!isIdentifier(name)) return undefined;
  const isFunction = isCalled(code, name) && !isMade(code, name);
  if (isFunction)
    return functions.length === 0 ? undefined : `There is no function \`${name}\`. ${listed(surroundings)}`;
  if (!isMade(code, name) && !members.some((path) => isOfService(code, `${name}.${path}`))) return undefined;
  return `There is no \`${name}\`. ${listed(surroundings) || LIBRARIES}`;
}

/** Whether code makes an object of a class with this name, or in it. */
function isMade(code: string, name: string) {
  const text = code.slice(0, MAX_CODE);
  const at = text.indexOf(`new ${name}`);
  return at !== -1 && /^\s{0,4}[.(]/.test(text.slice(at + 4 + name.length, at + 4 + name.length + 5));
}

/** Whether code calls a method that values of the language do not have: the object is a library or a service. */
function isOfService(code: string, path: string) {
  return !METHODS.has(path.slice(path.lastIndexOf('.') + 1)) && isCalled(code, path);
}

function ofPrefix(code: string, prefix: string, surroundings: Surroundings) {
  const { functions } = surroundings;
  const known = new Set(functions);
  const used = membersOf(code, prefix).find((path) => known.has(path));
  if (used !== undefined) return `Call the function without \`${prefix}.\`: \`${used}(…)\`.`;
  if (functions.length === 0) return undefined;
  return `There is no \`${prefix}\`: call functions by their names. ${listed(surroundings)}`;
}

/** The members of an object that code names: `search` and `search.web` of `tools.search.web`. */
function membersOf(code: string, name: string) {
  const escaped = name.replaceAll('$', '\\$');
  const uses = code.slice(0, MAX_CODE).matchAll(new RegExp(`(?<![\\p{ID_Continue}$.])${escaped}((?:\\.[\\p{ID_Continue}$]+)+)`, 'gu')); // prettier-ignore
  return [...uses].flatMap(([, path]) => {
    const names = path.slice(1).split('.', MAX_DEPTH);
    return names.map((_, i) => names.slice(0, i + 1).join('.')).reverse();
  });
}

function isCalled(code: string, name: string) {
  if (name === '') return false;
  const text = code.slice(0, MAX_CODE);
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length)) {
    const isWhole = at === 0 || !/[\p{ID_Continue}$]/u.test(text[at - 1]);
    if (isWhole && /^\s{0,4}\(/.test(text.slice(at + name.length, at + name.length + 5))) return true;
  }
  return false;
}

function listed({ functions, lookups }: Surroundings) {
  if (functions.length === 0) return '';
  if (lookups !== undefined) return `Find the functions with \`${lookups}.search('words')\`.`;
  const more = functions.length > MAX_NAMES ? ` and ${functions.length - MAX_NAMES} more` : '';
  return `The functions here are: ${functions.slice(0, MAX_NAMES).join(', ')}${more}.`;
}
