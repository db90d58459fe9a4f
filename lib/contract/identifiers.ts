/** Words reserved in modules, async functions and strict code. Guest code is all three. */
const KEYWORDS = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public
  return static super switch this throw true try typeof var void while with yield`.split(/\s+/),
);

/** The prefix of names that the executor's own code uses. */
export const RESERVED_PREFIX = '__smol_';

/** Whether a string can be the name of a property after a dot. */
export function isIdentifier(name: string) {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(name);
}

/** Whether guest code can declare a variable, function or parameter of that name. */
export function isBindable(name: string) {
  return isIdentifier(name) && !KEYWORDS.has(name) && !name.startsWith(RESERVED_PREFIX);
}
