import { masked } from './fences';
import type { Span } from './fences';

/** Tags of thoughts that models write before a program. */
const THOUGHTS = /^\s*<((?:\w+:)?(?:analysis|reasoning|reflection|scratchpad|think|thinking|thoughts?))(?:\s[^<>]*)?>/i;
const CODE = /^\s*<code(?:\s[^<>\n]*)?>/i;
const CODE_END = /<(?:\/code\s*|\/?end_code)>\s*$/i;

/**
 * A program without thoughts in tags before it, and without `<code>` around it. No program begins with such a tag.
 * Blanks replace them, so positions do not change.
 */
export function withoutTags(text: string): string {
  const begin = endOfThoughts(text);
  const [opening] = CODE.exec(text.slice(begin)) ?? [];
  if (begin === 0 && opening === undefined) return text;
  const start = begin + (opening?.length ?? 0);
  const end = opening === undefined ? text.length : (closingTag(text, start)?.start ?? text.length);
  return text.slice(start, end).trim() === '' ? text : masked(text, [{ start, end }]);
}

/** The closing tag of code at the end of the text. */
export function closingTag(text: string, from = 0): Span | undefined {
  const found = CODE_END.exec(text);
  if (found === null || found.index < from) return undefined;
  return { start: found.index, end: text.length };
}

function endOfThoughts(text: string): number {
  let at = 0;
  for (;;) {
    const [opening, name] = THOUGHTS.exec(text.slice(at)) ?? [];
    if (opening === undefined) return at;
    const rest = text.slice(at + opening.length);
    const closing = new RegExp(`</${name}\\s*>`, 'i').exec(rest);
    if (closing === null) return at;
    at += opening.length + closing.index + closing[0].length;
  }
}
