import { Program } from './program';
import { programText, pythonText, withoutExports } from './program-text';
import { isMainName, uncalledFunction } from './uncalled';
import { validateCode } from './check';
import { sdkProgram } from './sdk-program';
import { tokensOf } from '../contract/javascript-tokens';
import type { Insertion } from './program';
import type { FrontEnd } from '../contract/session';

/** Marks the places where the addon finds values of the program. The name is not in the code that runs. */
const KIT = '__smol_values';
/** Values that are neither a function nor contain promises. */
const PLAIN =
  /^(?:await\b(?!\s*[\w$.]+$)|final_answer\s*\(|console\s*\.|[`"'\d!~+-]|(?:true|false|null|undefined|typeof|void)\b)/;
/** Longer programs run unchanged. */
const MAX_CHARS = 256 << 10;
/** A function literal. */
const FUNCTION_LITERAL = /^(?:async\b\s*)?(?:function\b|\([^]*?\)\s*(?::[^=]*)?=>|[\p{ID_Continue}$]+\s*=>)/u;

/** Name of guest code that is unlikely to occur in a program. Hints examine the names of a program. */
const VALUE_OF = '$valueOf';
/**
 * Guest code that receives a value of the program. A function without parameters is called. Promises in lists and
 * objects are awaited, four levels deep; of a list without promises only the first element is examined. `$isProgram`:
 * the function is the program, whatever parameters it has. `$isModule`: the value is the export of a module. The code
 * follows the program, because hints and frames show the lines of the program.
 */
const DECLARED_VALUE_OF = `
async function ${VALUE_OF}($given, $isProgram, $isModule, $depth = 0) {
$given = await $given;
const $isFunction = ($it) => typeof $it === 'function' && !/^class\\b|^(?:async\\s*)?(?:function\\s*)?\\*|\\[native code\\]/.test((() => {}).toString.call($it));
const $isObject = $given !== null && typeof $given === 'object' && Object.getPrototypeOf($given) === Object.prototype;
if ($isModule && $isObject) {
const $keys = Object.keys($given).filter(($key) => $isFunction($given[$key]));
const $key = ['default', 'main', 'run', 'handler', 'execute'].find(($it) => $keys.includes($it)) ?? ($keys.length === 1 ? $keys[0] : undefined);
if ($key !== undefined) return ${VALUE_OF}($given[$key], true, false, $depth + 1);
}
if ($depth < 8 && $isFunction($given) && ($isProgram || $given.length === 0)) return ${VALUE_OF}($given(), $isProgram, false, $depth + 1);
const $holdsPromise = ($it, $level) => {
if ($it === null || typeof $it !== 'object' || $level > 3) return false;
const $isHeld = ($one) => $one instanceof Promise || $holdsPromise($one, $level + 1);
if (Array.isArray($it)) return $it.some(($one) => $one instanceof Promise) || $isHeld($it[0]);
return Object.getPrototypeOf($it) === Object.prototype && Object.values($it).some($isHeld);
};
const $settled = async ($it, $level) => {
const $value = $it instanceof Promise ? await $it : $it;
if (!$holdsPromise($value, $level)) return $value;
if (Array.isArray($value)) return Promise.all($value.map(($one) => $settled($one, $level + 1)));
return Object.fromEntries(await Promise.all(Object.entries($value).map(async ([$key, $one]) => [$key, await $settled($one, $level + 1)])));
};
return $settled($given, 0);
}`;

/**
 * The program of an agent: the code between its fences, without `export`. If its value is a function, or if it only
 * declares a function that nothing calls, the program calls the function. Promises in its value are awaited.
 *
 * @param livesOn whether later programs can call what this one declares
 */
export function agentProgram(text: string, livesOn = false): Promise<Program> {
  return read(text, { livesOn, isProgram: false });
}

/** The same for programs whose value, if it is a function, is the program, whatever parameters it has. */
export function calledProgram(text: string): Promise<Program> {
  return read(text, { livesOn: false, isProgram: true });
}

async function read(text: string, { livesOn, isProgram }: { livesOn: boolean; isProgram: boolean }) {
  const { code, note } = programText(text);
  const bare = withoutExports(code);
  const source = bare ?? code;
  const insertions = await insertionsOf(source, { livesOn, isProgram, isModule: bare !== undefined });
  if (insertions.length === 0) return new Program(text, insertions, { source, note });
  insertions.push({ at: source.length, text: DECLARED_VALUE_OF });
  return new Program(text, insertions, { source, note, front: { name: VALUE_OF, declaration: DECLARED_VALUE_OF } });
}

/** The program of an agent that writes Python: the code between its fences. */
export async function pythonProgram(text: string): Promise<Program> {
  const { code, note } = pythonText(text);
  return new Program(text, [], { source: code, note });
}

export function frontEndOf(language: string | undefined): FrontEnd {
  return language === 'python' ? pythonProgram : agentProgram;
}

async function insertionsOf(
  source: string,
  { livesOn, isProgram, isModule }: { livesOn: boolean; isProgram: boolean; isModule: boolean },
): Promise<Insertion[]> {
  if (source.length > MAX_CHARS) return [];
  const { insertions } = await valuesOf(source, KIT, 'async');
  const added: Insertion[] = [];
  let isOpen = false;
  let from = 0;
  let parenthesis = '';
  let isDeclaration = false;
  for (const { at, text } of insertions) {
    if (text.startsWith(`${KIT}.apply((`)) {
      isOpen = true;
      from = at;
      // For an object that is the whole program.
      parenthesis = text.slice(`${KIT}.apply((`.length);
    } else if (isOpen && /^\n?\)\)\)?$/.test(text)) {
      isOpen = false;
      const value = source.slice(from, at).trim();
      if (!isModule && PLAIN.test(value)) continue;
      const isCalled = isProgram || isModule || (isWhole(source, from, at) && FUNCTION_LITERAL.test(value));
      added.push({ at: from, text: opening() + parenthesis });
      const before = text.startsWith('\n') ? '\n' : parenthesis.replace('(', ')');
      added.push({ at, text: before + closing(isCalled, isModule) });
    } else if (text.startsWith(`;${KIT}.apply(`)) {
      isDeclaration = true;
    }
  }
  // Code that does not parse stays unchanged.
  if (insertions.length === 0) return added;
  const name = uncalledFunction(source, livesOn);
  if (name === undefined || (added.length > 0 && !isDeclaration)) return added;
  return [{ at: source.length, text: `\n;${opening()}${name}${closing(isMainName(name), false)}` }];
}

/**
 * The insertions of the addon at the values of a program, which `kit.apply` takes. If an object is the whole program,
 * it is treated as an object. JavaScript would read it as a block.
 */
export async function valuesOf(source: string, kit: string, style: 'auto' | 'sync' | 'async') {
  const request = { kit, kind: 'mutate', style } as const;
  const range = objectIn(source);
  if (range === undefined) return sdkProgram({ ...request, code: source });
  const { start, end } = range;
  const code = `${source.slice(0, start)}(${source.slice(start, end)})${source.slice(end)}`;
  const found = await sdkProgram({ ...request, code });
  const insertions: Insertion[] = [];
  for (const { at, text } of found.insertions) {
    const isAfter = at > end + 1;
    if (at <= start) insertions.push({ at, text });
    else if (!isAfter) insertions.push({ at: at - 1, text });
    else insertions.push({ at: at - 2, text: text.startsWith(')') ? `)${text}` : text });
  }
  const opens = insertions.findIndex(({ text }) => text === `${kit}.apply((`);
  if (opens !== -1) insertions[opens].text += '(';
  return { ...found, insertions };
}

function opening() {
  return `await ${VALUE_OF}((`;
}

function closing(isProgram: boolean, isModule: boolean) {
  return `), ${isProgram}, ${isModule})`;
}

/** Whether only white space and semicolons are outside the range. */
function isWhole(source: string, start: number, end: number) {
  return source.slice(0, start).trim() === '' && /^[\s;]*$/.test(source.slice(end));
}

/** The range of an object that is the whole program. */
function objectIn(source: string) {
  if (!/^\s*\{/.test(source)) return undefined;
  const tokens = tokensOf(source) ?? [];
  let last = tokens.length - 1;
  while (tokens[last]?.text === ';') last--;
  if (tokens[0]?.text !== '{' || tokens[last]?.text !== '}') return undefined;
  if (tokens.slice(1, last).some(({ depth }) => depth === 0)) return undefined;
  const range = { start: tokens[0].at, end: tokens[last].end };
  const errors = validateCode(`(${source.slice(range.start, range.end)})`).filter(
    ({ rule }) => rule === 'syntax_valid',
  );
  return errors.length === 0 ? range : undefined;
}
