/** Names of files have letters, digits, `-` and `_` of an id. The rest is escaped with `%`. */
export function nameOf(id: string): string {
  return encodeURIComponent(id).replace(/[.!~*'()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

/** The id that has a name; undefined if none has. */
export function idOf(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
