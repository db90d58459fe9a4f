import { describe, memberPath } from './describe';
import { isBindable, isBuiltIn, isIdentifier } from './identifiers';
import { isPythonName } from './python-names';

/** Words that cannot be the name of a variable in at least one engine: the same list as in `codemode`. */
const RESERVED_WORDS = new Set(
  `abstract arguments await boolean break byte case catch char class const continue debugger default delete do double
  else enum eval export extends false final finally float for function goto if implements import in instanceof int
  interface let long native new null package private protected public return short static super switch synchronized
  this throw throws transient true try typeof undefined var void volatile while with yield`.split(/\s+/),
);

/**
 * The identifier under which code calls a tool: `list-files` becomes `list_files`, `2nd` becomes `_2nd`, `delete`
 * becomes `delete_`, `Array` becomes `Array_`.
 */
export function toolIdentifier(name: string) {
  const identifier = identifierOf(name);
  return isBuiltIn(identifier) ? `${identifier}_` : identifier;
}

function identifierOf(name: string) {
  const text = name.replace(/[-.\s]/g, '_').replace(/[^\p{ID_Continue}$\u200c\u200d]/gu, '');
  if (!isIdentifier(text)) return `_${text}`;
  return RESERVED_WORDS.has(text) ? `${text}_` : text;
}

/** The same in ASCII: the names in the declarations that `@cloudflare/codemode` shows to models. */
export function asciiIdentifier(name: string) {
  return identifierOf(name.replace(/[^\s\p{ASCII}]/gu, ''));
}

/**
 * The same for a function of a namespace. A namespace with a `then` would act as a promise wherever it is awaited, so
 * that becomes `then_`.
 */
export function memberIdentifier(name: string) {
  const identifier = identifierOf(name);
  return identifier === 'then' ? 'then_' : identifier;
}

/** The same for Python, which has different reserved words: `list-files` becomes `list_files`, `del` becomes `del_`. */
export function pythonIdentifier(name: string) {
  // Python normalizes names to this form.
  const text = name
    .normalize('NFKC')
    .replace(/[-.\s]/g, '_')
    .replace(/[^\p{ID_Continue}]/gu, '');
  return [text, `${text}_`].find(isPythonName) ?? `_${text}`;
}

/**
 * Rejects names that code cannot write, and globals of the language. Callers that rename tools do not need it.
 *
 * @param root how messages call the object with these names
 * @throws {TypeError}
 */
export function refuseUnwritableNames(
  names: readonly string[],
  root: string,
  language: 'javascript' | 'python' = 'javascript',
) {
  for (const name of names) {
    const isPython = language === 'python';
    if (isPython ? isPythonName(name) : isBindable(name) && !isBuiltIn(name)) continue;
    const isGlobal = !isPython && isBuiltIn(name);
    const reason = isGlobal ? `\`${name}\` is a global of the language` : `code cannot use the name ${describe(name)}`;
    const other = isPython ? pythonIdentifier(name) : toolIdentifier(name);
    const example = other === '_' ? '' : `, for instance ${other}`;
    throw new TypeError(`${memberPath(root, name)} must have another name${example}: ${reason}`);
  }
}

/**
 * An object with the same values under their identifiers.
 *
 * @throws {TypeError} if two names have the same identifier
 */
export function byIdentifier<T>(
  byName: Record<string, T>,
  identifierOf: (name: string) => string = toolIdentifier,
): Record<string, T> {
  const names = new Map();
  for (const name of Object.keys(byName)) {
    const identifier = identifierOf(name);
    if (names.has(identifier)) {
      const both = `${JSON.stringify(names.get(identifier))} and ${JSON.stringify(name)}`;
      throw new TypeError(`the tools ${both} would both be called ${identifier} in code; rename one of them`);
    }
    names.set(identifier, name);
  }
  return Object.fromEntries([...names].map(([identifier, name]) => [identifier, byName[name]]));
}

/** Like an assignment, but also for the name `__proto__`. */
export function defineMember(holder: object, key: string, value: unknown) {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}
