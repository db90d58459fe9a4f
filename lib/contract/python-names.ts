/** Words that cannot be names in Python. */
const KEYWORDS = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if
  import in is lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
);

/** Whether Python code can use a string as a name. */
export function isPythonName(name: string) {
  return /^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name) && !KEYWORDS.has(name);
}
