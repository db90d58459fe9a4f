// Hints about Python that is written as JavaScript. `crates/prepare` knows the statements, `crates/hints` some names.

const written = (javaScript: string) => `This is Python: write ${javaScript}.`;

/** What JavaScript has in place of modules that have no name in common with it. */
const MODULES = table({
  'math cmath': 'use `Math`.',
  json: 'use `JSON.parse(…)` and `JSON.stringify(…)`.',
  'datetime timedelta calendar zoneinfo': 'use `Date`.',
  time: 'use `Date.now()`. There are no timers.',
  'asyncio threading concurrent multiprocessing': '`await` the functions, or `await Promise.all([…])`.',
  re: 'use regular expressions, as in `text.match(/…/)`.',
  'random secrets': 'use `Math.random()`.',
  'collections itertools functools operator heapq bisect': 'use `Map`, `Set` and the methods of arrays.',
  'string textwrap': 'use the methods of strings.',
  copy: 'use `structuredClone(value)`.',
  base64: 'use `btoa(…)` and `atob(…)`.',
  csv: 'use `text.split(…)`.',
  logging: 'use `console.log(…)`.',
  'statistics fractions decimal': 'compute with numbers and `Math`.',
  'typing dataclasses enum abc __future__': 'write types as in TypeScript, or none.',
});
/** Modules whose names are rarely those of variables in JavaScript. */
const NAMES = new Set(
  'json datetime timedelta asyncio re random math itertools functools collections logging dataclasses'.split(' '),
);

/** Functions and classes that are called. */
const CALLED = table({
  enumerate: written('`list.entries()`'),
  zip: written('`a.map((item, i) => [item, b[i]])`'),
  sum: written('`list.reduce((a, b) => a + b, 0)`'),
  any: written('`list.some((item) => …)`'),
  all: written('`list.every((item) => …)`'),
  reversed: written('`list.toReversed()`'),
  filter: written('`list.filter((item) => …)`'),
  'tuple iter': written('`[…]`, or `Array.from(values)`'),
  'set frozenset': written('`new Set(values)`'),
  'defaultdict Counter OrderedDict': written('`new Map()`, or `Object.groupBy(list, (item) => …)`'),
  'deque namedtuple': written('an array, or an object'),
  'isinstance issubclass': written('`value instanceof Class`, `typeof value` or `Array.isArray(value)`'),
  hasattr: written('`"name" in object`'),
  'getattr setattr delattr': written('`object[name]`'),
  callable: written('`typeof value === "function"`'),
  bool: written('`Boolean(value)`'),
  repr: written('`JSON.stringify(value)`'),
  ord: written('`text.codePointAt(0)`'),
  chr: written('`String.fromCodePoint(code)`'),
  divmod: written('`Math.floor(a / b)` and `a % b`'),
  hex: written('`number.toString(16)`'),
  bin: written('`number.toString(2)`'),
  'Exception BaseException ValueError KeyError IndexError AttributeError RuntimeError NotImplementedError ZeroDivisionError FileNotFoundError StopIteration OSError IOError':
    written('`new Error(…)`'),
});

/** Methods that only Python has, or that its objects have and those of JavaScript do not. */
const METHODS = table({
  items: written('`Object.entries(object)`'),
  keys: written('`Object.keys(object)`'),
  values: written('`Object.values(object)`'),
  has_key: written('`key in object`'),
  setdefault: written('`object[key] ??= value`'),
  extend: written('`list.push(...items)`'),
  join: written('`list.join(text)`'),
  format: written('a template, `${value}` between backticks'),
  lstrip: written('`text.trimStart()`'),
  rstrip: written('`text.trimEnd()`'),
  splitlines: written('`text.split("\\n")`'),
  'isdigit isnumeric isdecimal': written('`/^\\d+$/.test(text)`'),
  'isalpha isalnum isspace isupper islower': written('a regular expression, `/^…$/.test(text)`'),
  'zfill rjust': written('`text.padStart(width, …)`'),
  ljust: written('`text.padEnd(width)`'),
  casefold: written('`text.toLowerCase()`'),
  'capitalize title': written('`text[0].toUpperCase() + text.slice(1)`'),
  len: written('`list.length`'),
});
const METHOD = /\.([\p{ID_Continue}$]+) is not a function(?: or its return value is not iterable)?$/u;

const IMPORT = /^(?:import\s+([\w.]+)(?:\s+as\s+\w+)?\s*(?:,.*|;)?|from\s+([\w.]*\w)\s+import\s.+)$/;
const STRINGS: readonly [RegExp, string][] = [
  [/(?<![\w$])(?:f|fr|rf)["']/i, written('a template, `${value}` between backticks')],
  [/(?<![\w$])r["']/i, written('a template, `String.raw` before backticks, or a regular expression')],
  [/(?<![\w$])(?:b|br|rb)["']/i, written('`new TextEncoder().encode(…)`')],
  [/"""|'''/, written('text of several lines between backticks, or a comment, `/* … */`')],
];
/** Syntax by the text where the error is and the text before it on its line. */
const SYNTAX: readonly { at: RegExp; before: RegExp; hint: string }[] = [
  { at: /^if\b.*\belse\b/, before: /\S\s*$/, hint: written('`condition ? value : other`') },
  {
    at: /^for\b.*\bin\b/,
    before: /:[^{}:]*$/,
    hint: written('`Object.fromEntries(list.map((item) => [key, value]))`'),
  },
  { at: /^for\b.*\bin\b/, before: /\([^(]*$/, hint: written('`list.map((item) => …)`') },
  { at: /^\S.*:\s*$/, before: /^match\s+$/, hint: written('`switch (…) { case …: … }`') },
  { at: /^=/, before: /:$/, hint: written('`=`, and declare the variable before') },
  { at: /^super\(\)/, before: /^\s*$/, hint: written('`super(…)` in a constructor, or `super.method(…)`') },
];
/** Longer lines are not searched. */
const MAX_LINE = 2_000;
/** Between an import and the statement after it. */
const MAX_BLANK_LINES = 20;

/** Where code is wrong: its lines, and the line and column from 1. */
interface Place {
  lines: readonly string[];
  line: number;
  column: number;
}

/**
 * The hint for syntax of Python.
 *
 * @param instead the hint for a module as a name
 * @param imports modules that code may import
 */
export function hintOfPythonSyntax(
  place: Place,
  { instead, imports }: { instead: (module: string) => string | undefined; imports: readonly string[] },
): string | undefined {
  const line = (place.lines[place.line - 1] ?? '').slice(0, MAX_LINE);
  const [before, after] = [line.slice(0, place.column - 1), line.slice(place.column - 1)];
  const imported = importedModule(line) ?? (before.trim() === '' ? importedModule(lineBefore(place)) : undefined);
  if (imported !== undefined) {
    if (imports.includes(imported)) return written(`\`const ${imported} = await import("${imported}")\``);
    const use = MODULES.get(imported) ?? instead(imported) ?? 'the language has `Math`, `JSON`, `Date` and `Intl`.';
    return `This is Python: leave the import out. ${use[0].toUpperCase()}${use.slice(1)}`;
  }
  const string = STRINGS.find(([pattern]) => pattern.test(line));
  return string?.[1] ?? SYNTAX.find((each) => each.at.test(after) && each.before.test(before))?.hint;
}

/** The hint for a name of Python that is not defined. */
export function hintOfPythonName(name: string, isCalled: boolean): string | undefined {
  if (NAMES.has(name)) return `This is Python: ${MODULES.get(name)}`;
  return isCalled ? CALLED.get(name) : undefined;
}

/** The hint for a method of Python. */
export function hintOfPythonMethod(message: string): string | undefined {
  const [, name] = METHOD.exec(message) ?? [];
  return name === undefined ? undefined : METHODS.get(name);
}

function importedModule(line: string | undefined) {
  const [, plain, from] = IMPORT.exec(line?.trim() ?? '') ?? [];
  return (plain ?? from)?.split('.').find((name) => name !== '');
}

/** The last line before a place that is not blank. An import without a semicolon ends in the next statement. */
function lineBefore({ lines, line }: Place) {
  return lines
    .slice(Math.max(0, line - 1 - MAX_BLANK_LINES), line - 1)
    .findLast((each) => each.trim() !== '')
    ?.slice(0, MAX_LINE);
}

function table(hints: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(Object.entries(hints).flatMap(([names, hint]) => names.split(' ').map((name) => [name, hint])));
}
