import { isIdentifier } from './identifiers';
import { isPythonName } from './python-names';

/** Words that cannot be, or in some engine could not be, the name of a variable: the list that `codemode` has. */
const RESERVED_WORDS = new Set(
  `abstract arguments await boolean break byte case catch char class const continue debugger default delete do double
  else enum eval export extends false final finally float for function goto if implements import in instanceof int
  interface let long native new null package private protected public return short static super switch synchronized
  this throw throws transient true try typeof undefined var void volatile while with yield`.split(/\s+/),
);

/** The identifier that code calls a tool by: `list-files` is `list_files`, `2nd` is `_2nd`, `delete` is `delete_`. */
export function toolIdentifier(name: string) {
  const text = name.replace(/[-.\s]/g, '_').replace(/[^\p{ID_Continue}$\u200c\u200d]/gu, '');
  if (!isIdentifier(text)) return `_${text}`;
  return RESERVED_WORDS.has(text) ? `${text}_` : text;
}

/** The same in ASCII: the names of the declarations that `@cloudflare/codemode` shows to models. */
export function asciiIdentifier(name: string) {
  return toolIdentifier(name.replace(/[^\s\p{ASCII}]/gu, ''));
}

/**
 * The same for a function of a namespace, which with a `then` would be a promise wherever it is awaited: that is `then_`.
 */
export function memberIdentifier(name: string) {
  const identifier = toolIdentifier(name);
  return identifier === 'then' ? 'then_' : identifier;
}

/** The same for Python, whose words are others: `list-files` is `list_files`, `del` is `del_`. */
export function pythonIdentifier(name: string) {
  // As Python reads names.
  const text = name
    .normalize('NFKC')
    .replace(/[-.\s]/g, '_')
    .replace(/[^\p{ID_Continue}]/gu, '');
  return [text, `${text}_`].find(isPythonName) ?? `_${text}`;
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

/** As an assignment, but `__proto__` is a name like others. */
export function defineMember(holder: object, key: string, value: unknown) {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}
