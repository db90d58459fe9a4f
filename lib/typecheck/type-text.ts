// Types as messages of TypeScript print them.

const OPENING = '{([<';
const CLOSING = '})]>';

/** The alternatives of a union. */
export function parts(type: string): string[] {
  return split(type, '|');
}

/** The names of the members of an object type. */
export function membersIn(type: string): string[] {
  if (!type.startsWith('{')) return [];
  return split(type.slice(1, -1), ';').flatMap((member) => {
    const [, name, quoted] = /^(?:readonly )?(?:([\p{ID_Continue}$]+)|"([^"]*)")\??[:(<]/u.exec(member) ?? [];
    return name ?? quoted ?? [];
  });
}

/** Longer types are not copied. */
const MAX_TYPE = 4_000;
/** Types of the language, without those of functions. */
const PORTABLE = new Set(
  `any unknown string number boolean bigint symbol null undefined void never object true false readonly Array ReadonlyArray
  Promise Map Set Date RegExp RegExpMatchArray RegExpExecArray Error Record Partial ArrayBuffer Uint8Array Int8Array
  Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array URL URLSearchParams`.split(/\s+/),
);
const TOKEN = /"(?:[^"\\]|\\.)*"|[\p{ID_Start}$_][\p{ID_Continue}$]*(\??:)?|=>/gu;

/**
 * Whether a type consists only of types of the language, so that its text means the same in other files.
 *
 * @param own names that mean something else
 */
export function isPortable(type: string, own: ReadonlySet<string>): boolean {
  if (type.length > MAX_TYPE || type.includes('...')) return false;
  return [...type.matchAll(TOKEN)].every(([token, isMember]) => {
    if (token.startsWith('"') || isMember !== undefined) return true;
    return PORTABLE.has(token) && !own.has(token);
  });
}

/** Splits a type at a sign that is not in brackets or quotes. */
function split(type: string, sign: string) {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < type.length; i++) {
    const char = type[i];
    if (char === '"') i = endOfString(type, i);
    else if (OPENING.includes(char)) depth++;
    // The arrow of a function type is not a bracket.
    else if (CLOSING.includes(char) && type[i - 1] !== '=') depth--;
    else if (char === sign && depth === 0) {
      found.push(type.slice(from, i).trim());
      from = i + 1;
    }
  }
  found.push(type.slice(from).trim());
  return found.filter((part) => part !== '');
}

function endOfString(text: string, start: number) {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
