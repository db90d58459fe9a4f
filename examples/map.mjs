/** A map for the examples: a PNG of one pixel, in base64. */
export const MAP = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** A part of a result as a line: data is not printed. */
export function partText(part) {
  if (part.text !== undefined) return part.text;
  const data = JSON.stringify(part).includes(MAP) ? ', with the map' : '';
  return `(${part.type}${data})`;
}
