/** A result of one text block. */
export function text(value) {
  return { content: [{ type: 'text', text: value }] };
}
