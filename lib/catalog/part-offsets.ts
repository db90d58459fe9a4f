/**
 * Start of each of the parts that follow one another, and the end of the last one. For parts that are one unit apart
 * (`between`), it returns only the starts.
 */
export function offsetsOf(parts: { length: number }[], between: number) {
  const starts = new Uint32Array(parts.length + 1 - between);
  let at = 0;
  parts.forEach((part, number) => {
    starts[number] = at;
    at += part.length + between;
  });
  if (between === 0) starts[parts.length] = at;
  return starts;
}
