/** Text in one line, with at most `max` characters of it. Says how many characters are left out. */
export function singleLine(text: unknown, max: number): string {
  if (typeof text !== 'string') return '';
  const line = text.slice(0, max).trim().replace(/\s+/g, ' ');
  const left = text.length - max;
  return left > 0 && text.slice(max).trim() !== '' ? `${line} [… ${left} more characters]` : line;
}
