/** Occurrences of a name that are looked at, and UTF-16 units before each. */
const MAX_OCCURRENCES = 200;
const CONTEXT = 200;

/** What comes before a name that is declared, in JavaScript or Python. */
const DECLARING = /\b(?:const|let|var|class|function|def|import|as|for|global|nonlocal)\b[ *][^;=()\n]*$/;
const DESTRUCTURING = /\b(?:const|let|var|import)\s*\{[^}=;()]*$/;
const STATEMENT_START = /(?:^|[;{\n])[ \t]*$/;
/** What comes after a name that is assigned, called, or passed on. */
const ASSIGNED = /^[ \t]*=(?![=>])/;
const USED = /^\s*(?:[(),;\]]|\?\.\(|\.\s*get\b)/;

/**
 * How a program treats a name that it may have from the host: whether it declares the name itself, or uses it. Judged
 * by the text, without a parser: a wrong answer only decides whether a helper is there.
 */
export function useOf(code: string, name: string): 'declared' | 'used' | undefined {
  let use: 'used' | undefined;
  let at = code.indexOf(name);
  for (let count = 0; at !== -1 && count < MAX_OCCURRENCES; count++) {
    const end = at + name.length;
    if (isWhole(code, at, end)) {
      const before = code.slice(Math.max(0, at - CONTEXT), at);
      const after = code.slice(end, end + CONTEXT);
      if (DECLARING.test(before) || DESTRUCTURING.test(before)) return 'declared';
      if (STATEMENT_START.test(before) && ASSIGNED.test(after)) return 'declared';
      if (USED.test(after)) use = 'used';
    }
    at = code.indexOf(name, end);
  }
  return use;
}

/** Whether the text is a whole identifier, and not a property. */
function isWhole(code: string, at: number, end: number) {
  return !/[\p{ID_Continue}$]/u.test(code[end] ?? '') && !/[\p{ID_Continue}$.]/u.test(code[at - 1] ?? '');
}
