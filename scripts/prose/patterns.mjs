// Expressions that are nearly always wrong in technical English, and what to write instead.
//
// A pattern belongs here only if its matches need no judgement. Each has examples, which the tests use.

/** Nouns after "is no" in sentences such as "`size` is no function". */
const NOUNS = [
  'address',
  'array',
  'awaitable',
  'binding',
  'browser',
  'canvas',
  'character',
  'checkout',
  'class',
  'code',
  'command',
  'constant',
  'constructor',
  'data',
  'directory',
  'error',
  'failure',
  'file',
  'folder',
  'function',
  'getter',
  'guest',
  'host',
  'identifier',
  'integer',
  'iterable',
  'journal',
  'JSON',
  'library',
  'list',
  'literal',
  'method',
  'module',
  'name',
  'number',
  'object',
  'option',
  'parameter',
  'path',
  'plain',
  'program',
  'promise',
  'property',
  'proxy',
  'regular expression',
  'sandbox',
  'schema',
  'script',
  'statement',
  'string',
  'symbol',
  'text',
  'thenable',
  'tool',
  'type',
  'URL',
  'valid',
  'value',
  'variable',
  'wheel',
].join('|');
const OWNERS = 'its|their|his|her|our|my|your';
/** A possessive without a noun after it: at the end of a clause, or before a word that begins the next one. */
const NO_NOUN = String.raw`(?=\s*(?:[^\w\s\x60]|$)|\s+(?:${[
  'and|or|but|so|if|when|while|until|because|that|which|where|whose|for|in|on|with|without|to|from|at|by|as|of|per',
  'is|are|was|were|has|have|had|may|can|must|also|too|than',
].join('|')})\b)`;
const END = String.raw`(?=\s*(?:[,.;:)\]|"]|$))`;

/**
 * @typedef {object} ProsePattern
 * @property {RegExp} expression
 * @property {string} instead
 * @property {string[]} wrong Texts in which the expression is found.
 * @property {string[]} right Texts that look alike, in which it must not be found.
 */

/** @type {ProsePattern[]} */
export const PATTERNS = [
  {
    expression: new RegExp(
      String.raw`(?<!\bthere(?: \w+)? )(?<!There(?: \w+)? )\b(?:is|are|was|were) no (?!longer\b|more\b|other\b|such\b)(?:[\w-]+ )?(?:${NOUNS})s?\b`,
      'g',
    ),
    instead: 'is not a …',
    wrong: [
      '`size` is no function',
      'what is no plain object',
      'names that are no identifiers',
      'a tool that is no async function',
    ],
    right: ['there is no function', 'There still is no file', 'it is no longer a function', 'is not a function'],
  },
  {
    expression: /(?<!\bnot [^.;]{0,60})\bbut for\b(?! (?:now|example|instance)\b)/g,
    instead: 'except, except for',
    wrong: ['all but for the last', 'exactly but for line endings'],
    right: ['not for this run but for the next', 'it works, but for now only on Linux'],
  },
  {
    expression: /\b[Ww]hoever\b/g,
    instead: 'name the subject: code that …, a caller that …',
    wrong: ['whoever calls it', 'Whoever takes the job settles it'],
    right: ['whatever calls it'],
  },
  {
    expression: /\b(?:[Bb]y|[Ff]or|[Oo]f|[Tt]o|[Ww]ith|[Ff]rom|[Bb]ut|[Oo]n) whom\b/g,
    instead: 'name the subject',
    wrong: ['a run is ended by whom it has outlasted'],
    right: ['users who call it'],
  },
  {
    expression: /\b(?:is|are|was|were|be|been|being) told of\b/g,
    instead: 'is reported (to …), is notified of',
    wrong: ['what models are told of tools', 'the host is told of the call'],
    right: ['models are told how to call tools', 'the host is told that it ended'],
  },
  {
    expression: /\btaken for left out\b/g,
    instead: 'treated as omitted',
    wrong: ['`null` is taken for left out'],
    right: ['`null` is treated as omitted'],
  },
  {
    expression: new RegExp(String.raw`\bof (?:${OWNERS}) own\b${NO_NOUN}`, 'g'),
    instead: 'its own …, a separate …',
    wrong: ['a process of its own', 'executors with pools of their own', 'on a thread of its own, with state'],
    right: ['its own process', 'on their own', 'only the tools of its own agent', 'a value of its own class'],
  },
  {
    expression: /\b[Aa] text\b(?!(?:-| (?:file|editor|field|node|message|box|area|block|model|format|search|diff)))/g,
    instead: 'a string, text',
    wrong: ['a text that is too long', 'variables are sent as a text'],
    right: ['a text file', 'a text-based protocol', 'a text node'],
  },
  {
    expression: /\b(?:[Ff]unction|[Mm]ethod|[Gg]etter|[Cc]allback|[Cc]onstructor|[Ii]terator) gives\b/g,
    instead: 'returns',
    wrong: ['what the function gives'],
    right: ['the function returns', 'the page gives an example'],
  },
  {
    expression:
      /\bbehind (?:a|an|the|each|every|one|that) (?:pause|run|answer|collection|call|loop|reply|end|others?)\b/g,
    instead: 'after',
    wrong: ['a run behind a pause of 10 ms', 'one loop behind the other'],
    right: ['the accessors behind a binding', 'behind a proxy'],
  },
  {
    expression: /\b(?:the|a|large|one) wires?\b(?! (?:format|protocol|size)s?\b)/g,
    instead: 'serialized bytes, message',
    wrong: ['the buffer of a wire is detached', 'values on the wire'],
    right: ['the wire format', 'wire-size.js'],
  },
  {
    expression: new RegExp(String.raw`\b(?:that|which|what|who|they) (?:is|are|was|were) there${END}`, 'g'),
    instead: 'that is available, that exists',
    wrong: ['calls that are there, and others'],
    right: ['that there are', 'they are there to help'],
  },
  {
    expression: new RegExp(String.raw`\b\w+s? that there (?:is|are|was|were)${END}`, 'g'),
    instead: 'that exists, existing …',
    wrong: ['the platforms that there are.', 'names tests that there are'],
    right: ['it says that there are two', 'so that there is one'],
  },
  {
    expression: /\b[Ww]hat (?:becomes|became|has become|had become) of\b/g,
    instead: 'what happens to, the outcome of',
    wrong: ['what becomes of a value'],
    right: ['what happens to a value'],
  },
  {
    expression: /\b(?:[Ee]lse|[Oo]therwise) than\b/g,
    instead: 'other than, differently from',
    wrong: ['nothing else than data', 'ends otherwise than it says'],
    right: ['nothing other than data', 'rather than'],
  },
  {
    expression:
      /(?:^|[.;:] |\/\/ |\* |# )Who (?:only |also )?(?!(?:is|are|was|can|does|did|else)\b)[a-z]+s\b(?![^.]*\?)/g,
    instead: 'code that …, callers that …',
    wrong: ['Who only holds the class needs no addon.', '// Who reads it waits.'],
    right: ['Who calls this function?', 'users who call it'],
  },
  {
    expression: /\bto be had\b/g,
    instead: 'available',
    wrong: ['where it is to be had'],
    right: ['it had to be'],
  },
];
