import { modelOutput } from './model-text';
import { withTraits } from './tool-traits';
import type { Content } from './content';

/** The name of the function with which programs show something. */
export const DISPLAY = 'display';

/** What descriptions and prompts say about it. */
export const DISPLAY_TEXT = '`display(value)` shows you an image, audio or a file: its bytes, or a content block.';

/**
 * Of functions that this package offers: without an effect outside the run, without approval, and code may leave out
 * `await`.
 */
export const HELPER_TRAITS = { isHelper: true, isBlocking: true, inDoubt: 'repeat' } as const;

/** The function `display` of a run: adds content, and other values as text. */
export function displayTo(content: Content): (value: unknown) => Promise<void> {
  const show = async (value: unknown) => {
    if (content.show(value)) return;
    const { text } = await modelOutput(value, { maxChars: content.charsLeft });
    content.showText(text);
  };
  return withTraits(show, HELPER_TRAITS);
}
