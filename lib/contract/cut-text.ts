/**
 * Cuts the middle out of a string that is too long. Also says how much was cut.
 *
 * @param maxChars UTF-16 units that stay
 * @param advice what is cut, and how to avoid it
 */
export function cutMiddle(text: string, maxChars: number, advice: string): string {
  if (text.length <= maxChars) return text;
  const head = wholeCharacters(text, Math.ceil(maxChars / 2));
  const tail = wholeCharacters(text, text.length - Math.floor(maxChars / 2));
  return `${text.slice(0, head)}\n[... ${tail - head} of ${text.length} characters ${advice} ...]\n${text.slice(tail)}`;
}

/** `at`, or the position before it if that would split a character of two units. */
export function wholeCharacters(text: string, at: number): number {
  return /[\ud800-\udbff]/.test(text[at - 1]) ? at - 1 : at;
}
