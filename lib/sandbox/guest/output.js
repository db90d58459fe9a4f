// Guest code: prepares the value of a program before it becomes the state, and awaits promises in it. The host refuses
// values that are not data, so nothing here has to be safe for the host.
(refuse) => {
  const isContainer = (value) =>
    typeof value === 'object' && value !== null && (Array.isArray(value) || isPlain(value));

  const isPlain = (value) => {
    const prototype = Object.getPrototypeOf(value);
    return prototype === Object.prototype || prototype === null;
  };

  // Describes a value that is not data. Only a promise can be awaited.
  const notData = (value) => {
    if (typeof value === 'function') return `the function ${JSON.stringify(value.name)}`;
    if (typeof value === 'symbol') return `the symbol ${String(value)}`;
    return value instanceof Promise ? 'a promise' : undefined;
  };

  // The first value that is not data, and the keys that lead to it.
  const find = (value, seen) => {
    const what = notData(value);
    if (what !== undefined) return { what, keys: [] };
    if (!isContainer(value) || seen.has(value)) return undefined;
    seen.add(value);
    for (const key of Object.keys(value)) {
      const part = value[key];
      if (part === null || (typeof part !== 'object' && typeof part !== 'function' && typeof part !== 'symbol'))
        continue;
      const found = find(part, seen);
      if (found !== undefined) {
        found.keys.unshift(key);
        return found;
      }
    }
    return undefined;
  };

  // A copy in which each promise is replaced by its result.
  const settled = async (given, copies) => {
    const value = given instanceof Promise ? await given : given;
    if (!isContainer(value)) return value;
    if (copies.has(value)) return copies.get(value);
    const copy = Array.isArray(value) ? [] : { __proto__: null };
    copies.set(value, copy);
    for (const key of Object.keys(value)) copy[key] = await settled(value[key], copies);
    if (Array.isArray(value)) copy.length = value.length;
    return copy;
  };

  const done = (value) => {
    if (value instanceof Promise) return value.then(done);
    const found = find(value, new Set());
    if (found === undefined) return value;
    if (found.what === 'a promise') return settled(value, new Map()).then(done);
    refuse(found.keys.join('.'), found.what);
    return undefined;
  };
  return done;
};
