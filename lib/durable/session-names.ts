/** Names of files have letters, digits, `-` and `_` of an id. The rest is escaped with `%`. */
export function nameOf(id: string): string {
  return encodeURIComponent(id).replace(/[.!~*'()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

/** With a suffix and the number of a lock, a file of most systems has 255 bytes. */
const MAX_NAME_BYTES = 180;
const SHORT: Record<string, string> = { '%2e': '+d', '%3A': '+c', '%40': '+a', '%2F': '+s' };

/** A name that would be too long for a file has shorter escapes. Each id of a session then has at most 160 bytes. */
export function fileNameOf(id: string): string {
  const name = nameOf(id);
  return name.length <= MAX_NAME_BYTES ? name : name.replace(/%(?:2e|3A|40|2F)/g, (long) => SHORT[long] ?? long);
}

/** The id of {@link fileNameOf}; undefined if none has this name. */
export function idOfFile(name: string): string | undefined {
  const id = idOf(
    name.replace(/\+[dcas]/g, (short) => Object.keys(SHORT).find((long) => SHORT[long] === short) ?? short),
  );
  return id !== undefined && fileNameOf(id) === name ? id : undefined;
}

/** The id that has a name; undefined if none has. */
export function idOf(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
