import { beginsStatement } from './program-text';
import { isPlainObject } from '../contract/describe';
import { isIdentifier } from '../contract/identifiers';
import { tokensOf } from '../contract/javascript-tokens';
import { keysOf } from '../contract/wide-objects';
import type { Foreign } from '../contract/foreign';
import type { Token } from '../contract/javascript-tokens';

/** Names of functions that are a whole program, whatever parameters they declare. */
const MAIN = /^(?:_?default|agent|execute|handler|main|program|run|script|solution|solve|start|task|workflow)$/i;
/** Words that begin a declaration. */
const DECLARATIONS = new Set(
  'abstract async class const declare enum function interface let namespace type var'.split(' '),
);
const VARIABLE = /^(?:const|let|var)$/;
/** The text of an output that is a function. */
const FUNCTION = /^\[(?:Async)?Function(?:: ([^\]]*)| \(anonymous\))\]$/;

/** The text of a promise that is a part of an output. */
const PROMISE = /^Promise \{ [^]* \}$/;
const MAX_LOOKS = 100;
const PROMISES_NOTICE =
  'The value of the program contains promises that were not awaited. Await them: await Promise.all([…])';

/** The note of a run whose program declares a function that nothing has called. */
export function uncalledNotice(
  code: string,
  { output, is_final_answer: isFinal }: { output?: unknown; is_final_answer: boolean },
) {
  if (isFinal) return undefined;
  if (typeof output === 'string') {
    const found = FUNCTION.exec(output);
    if (found === null) return undefined;
    const name = found[1] ?? '';
    const call = isIdentifier(name) ? `await ${name}()` : 'await (async () => { … })()';
    return `The value of the program is a function that was not called. To run it, end the program with a call: ${call}`;
  }
  if (typeof output === 'object' && output !== null && holdsPromises(output)) return PROMISES_NOTICE;
  if (output !== undefined || !/\bfunction\b|=>/.test(code)) return undefined;
  const name = uncalledFunction(code, true);
  if (name === undefined) return undefined;
  return `The program declares ${name} but does not call it. To run it, end the program with a call: await ${name}()`;
}

/** Whether a list or an object contains promises, which the executor shows as text. Examines the first parts only. */
function holdsPromises(output: object) {
  if (!Array.isArray(output) && !isPlainObject(output)) return false;
  const parts: unknown[] = Array.isArray(output)
    ? output.slice(0, MAX_LOOKS)
    : keysOf(output)
        .slice(0, MAX_LOOKS)
        .map((key) => (output as Foreign)[key]);
  return parts.some((part) => typeof part === 'string' && PROMISE.test(part));
}

export function isMainName(name: string) {
  return MAIN.test(name);
}

/** A function declared at the top level of a program. */
interface DeclaredFunction {
  name: string;
  /** Indices of the tokens from the name to the end of the body. */
  from: number;
  to: number;
  /** Whether it declares no parameters. */
  takesNothing: boolean;
}

/**
 * The function that a program declares and does not call, if it is the program: it has a name like `main`, or the
 * program consists of declarations only. Functions with parameters are meant for later programs.
 *
 * @param livesOn whether there are later programs: a program that also declares data is meant for them
 */
export function uncalledFunction(source: string, livesOn = true): string | undefined {
  const tokens = tokensOf(source);
  if (tokens === undefined) return undefined;
  const declared = declaredFunctions(source, tokens);
  const uncalled = declared.filter((it) => !isUsed(tokens, it));
  const main = uncalled.findLast(({ name }) => isMainName(name));
  if (main !== undefined) return endsWithDeclaration(source, tokens) ? main.name : undefined;
  const starts = new Set(declared.map(({ from }) => from - 1));
  const isData = (at: number) => livesOn && VARIABLE.test(tokens[at].text) && !starts.has(at);
  if (!onlyDeclares(source, tokens, isData)) return undefined;
  return uncalled.findLast(({ takesNothing }) => takesNothing)?.name;
}

function declaredFunctions(source: string, tokens: Token[]): DeclaredFunction[] {
  const found: DeclaredFunction[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const { text, depth } = tokens[i];
    if (depth > 0) continue;
    const before = tokens[i - 1]?.text;
    const name = tokens[i + 1];
    if (name === undefined || !isIdentifier(name.text)) continue;
    if (
      text === 'function' &&
      (before === undefined || !/^[=(,:?&|+!~-]$|^(?:return|await|void|new|default)$/.test(before))
    ) {
      found.push({
        name: name.text,
        from: i + 1,
        to: bodyEnd(source, tokens, i + 2),
        takesNothing: isEmptyList(tokens, i + 2),
      });
    } else if (text === 'const' || text === 'let' || text === 'var') {
      const declared = functionVariable(source, tokens, i + 1);
      if (declared !== undefined) found.push({ name: name.text, from: i + 1, ...declared });
    }
  }
  return found;
}

/** `name = async () => …`, `name: Type = function () { … }`. */
function functionVariable(
  source: string,
  tokens: Token[],
  at: number,
): { to: number; takesNothing: boolean } | undefined {
  const text = (index: number) => tokens[index]?.text;
  let next = at + 1;
  if (text(next) === ':') while (next < tokens.length && (text(next) !== '=' || text(next + 1) === '>')) next++;
  if (text(next) !== '=') return undefined;
  next++;
  if (text(next) === 'async') next++;
  if (text(next) === 'function') {
    const list = text(next + 1) === '(' ? next + 1 : next + 2;
    return { to: bodyEnd(source, tokens, list), takesNothing: isEmptyList(tokens, list) };
  }
  if (text(next) === '(') {
    let end = partner(tokens, next) + 1;
    // A type of the result.
    if (text(end) === ':') while (end < tokens.length && !(text(end) === '=' && text(end + 1) === '>')) end++;
    if (text(end) !== '=' || text(end + 1) !== '>') return undefined;
    return { to: bodyEnd(source, tokens, end), takesNothing: isEmptyList(tokens, next) };
  }
  if (text(next + 1) !== '=' || text(next + 2) !== '>') return undefined;
  return { to: bodyEnd(source, tokens, next + 1), takesNothing: false };
}

function isEmptyList(tokens: Token[], at: number) {
  return tokens[at]?.text === '(' && tokens[at + 1]?.text === ')';
}

/** The index of the bracket that closes the one at `at`. */
function partner(tokens: Token[], at: number) {
  let end = at + 1;
  while (end < tokens.length && tokens[end].depth > tokens[at].depth) end++;
  return end;
}

/** The index of the last token of a body: a block, or an expression up to the next statement. */
function bodyEnd(source: string, tokens: Token[], from: number) {
  let at = from;
  while (at < tokens.length && tokens[at].text !== '{' && tokens[at].text !== ';') {
    if (at > from && beginsStatement(source, tokens, at)) return at - 1;
    at = tokens[at].text === '(' || tokens[at].text === '[' ? partner(tokens, at) + 1 : at + 1;
  }
  return tokens[at]?.text === '{' ? partner(tokens, at) : at;
}

/** Whether the name occurs outside of the function itself, other than as a property. */
function isUsed(tokens: Token[], { name, from, to }: DeclaredFunction) {
  return tokens.some(
    ({ text }, i) =>
      text === name && (i < from || i > to) && (tokens[i - 1]?.text !== '.' || tokens[i - 2]?.text === '.'),
  );
}

/**
 * Whether each statement of the program is a declaration.
 *
 * @param isOther of declarations, by the indices of their first tokens
 */
function onlyDeclares(source: string, tokens: Token[], isOther: (at: number) => boolean) {
  return tokens.every(({ text, depth }, i) => {
    if (depth > 0 || text === ';' || text === '}' || !beginsStatement(source, tokens, i)) return true;
    if (DECLARATIONS.has(text)) return !isOther(i);
    return !/^[\p{ID_Continue}$"'`({[]/u.test(text) || tokens[i - 1]?.text === '=';
  });
}

/** Whether the last statement is a declaration. */
function endsWithDeclaration(source: string, tokens: Token[]) {
  const start = tokens.findLastIndex(
    ({ text, depth }, i) =>
      depth === 0 &&
      text !== ';' &&
      text !== '}' &&
      text !== '{' &&
      beginsStatement(source, tokens, i) &&
      /^[\p{ID_Continue}$"'`([]/u.test(text),
  );
  return start !== -1 && DECLARATIONS.has(tokens[start].text);
}
