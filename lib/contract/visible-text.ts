/** Characters that change how the text around them looks: controls, marks of direction, and separators of lines. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Text of guests for a person who decides about it. Characters that would change how other text looks are shown by
 * their numbers.
 */
export function visibleText(text: string): string {
  return text.replace(UNSAFE, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`);
}
