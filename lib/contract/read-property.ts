/** A property of an object of others, whose getter may throw. */
export function readProperty(object: object, key: PropertyKey): unknown {
  try {
    return Reflect.get(object, key);
  } catch {
    return undefined;
  }
}
