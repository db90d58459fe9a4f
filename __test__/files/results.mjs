/** A result of text blocks. */
export function text(...blocks) {
  return { content: blocks.map((block) => ({ type: 'text', text: block })) };
}
