/**
 * Tags around a model's thoughts. Chat templates of some models open them in the prompt, so only the end is in the
 * answer.
 */
const NAMES =
  'analysis|antthinking|inner_monologue|inner_thoughts?|monologue|think|thinking|thoughts?|reasoning|reflection|scratchpad';
const TAG = new RegExp(`[<[◁](/?)(?:\\w+:)?(${NAMES})(?:\\s[^<>]*)?[>\\]▷]`, 'gi');
/** `<think>`, `<seed:think>`, `[THINK]` and `◁think▷`. */
const BRACKETS = new Set(['<>', '[]', '◁▷']);

interface Tag {
  at: number;
  end: number;
  name: string;
  isClosing: boolean;
}

/**
 * Removes the model's thoughts before the code. They never contain code of the answer.
 *
 * @param code matches the start of code. Thoughts after it are part of the code
 * @param codeEnd matches the end of code
 */
export function withoutThoughts(text: string, code: RegExp, codeEnd: RegExp): string {
  const answer = withoutUnopened(text, code, codeEnd);
  const tags = tagsIn(answer);
  const kept: string[] = [];
  let from = 0;
  let start = -1;
  for (let i = 0; i < tags.length; i++) {
    const { at, isClosing } = tags[i];
    if (isClosing || at < from || isQuoted(answer, at)) continue;
    if (start < from) start = indexOf(answer, code, from);
    if (start < at) break;
    const end = closingOf(tags, i);
    if (end === undefined) break;
    kept.push(answer.slice(from, at));
    from = tags[end].end;
    i = end;
  }
  return kept.join('') + answer.slice(from);
}

/** Maximum number of ends of thoughts without a start. */
const MAX_UNOPENED = 20;

/** Everything before the last end of thoughts that the prompt has opened is thought. */
function withoutUnopened(text: string, code: RegExp, codeEnd: RegExp) {
  const open = new Map<string, number>();
  let count = 0;
  let from = 0;
  for (const { at, end, name, isClosing } of tagsIn(text)) {
    const opened = open.get(name) ?? 0;
    if (!isClosing || opened > 0) {
      open.set(name, isClosing ? opened - 1 : opened + 1);
    } else if (isAtEdge(text, at, end)) {
      const isInCode =
        indexOf(text, code, from) < at &&
        indexOf(text, code, end) === text.length &&
        indexOf(text, codeEnd, end) < text.length;
      if (isInCode || ++count > MAX_UNOPENED) break;
      from = end;
    }
  }
  return text.slice(from);
}

/** The index of the tag that closes the one at `index`: the matching one, or the first one. */
function closingOf(tags: Tag[], index: number) {
  let first: number | undefined;
  let depth = 0;
  for (let i = index; i < tags.length; i++) {
    if (tags[i].name !== tags[index].name) continue;
    depth += tags[i].isClosing ? -1 : 1;
    if (tags[i].isClosing) first ??= i;
    if (depth === 0) return i;
  }
  return first;
}

/** @returns the length of the text if nothing matches */
function indexOf(text: string, pattern: RegExp, from: number) {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

function tagsIn(text: string): Tag[] {
  return [...text.matchAll(TAG)].filter(isTag).map(({ 0: tag, 1: slash, 2: name, index }) => ({
    at: index,
    end: index + tag.length,
    name: name.toLowerCase(),
    isClosing: slash !== '',
  }));
}

/** In square brackets only capital letters are a tag: code has members there. */
function isTag({ 0: tag, 2: name }: RegExpExecArray) {
  return BRACKETS.has(tag[0] + tag.slice(-1)) && (tag[0] !== '[' || name === name.toUpperCase());
}

/** Whether a tag begins or ends its line. In code it is in a string. */
function isAtEdge(text: string, at: number, end: number) {
  if (isQuoted(text, at)) return false;
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  const line = text.indexOf('\n', end);
  return before.trim() === '' || text.slice(end, line === -1 ? undefined : line).trim() === '' || !/["'`]/.test(before);
}

function isQuoted(text: string, at: number) {
  return /["'`]/.test(text.charAt(at - 1));
}
