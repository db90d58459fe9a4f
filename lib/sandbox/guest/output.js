// Guest code: what a program gives, before it is its state. Promises in it are awaited, and what is no data is refused by the host,
// which nothing here has to be safe for.
(refuse) => {
  const isContainer = (value) =>
    typeof value === 'object' && value !== null && (Array.isArray(value) || isPlain(value));

  const isPlain = (value) => {
    const prototype = Object.getPrototypeOf(value);
    return prototype === Object.prototype || prototype === null;
  };

  // What is no data, as how it is told; a promise is one that can be waited for.
  const oddity = (value) => {
    if (typeof value === 'function') return `the function ${JSON.stringify(value.name)}`;
    if (typeof value === 'symbol') return `the symbol ${String(value)}`;
    return value instanceof Promise ? 'a promise' : undefined;
  };

  // The first that is no data, with the keys that lead there.
  const find = (value, seen) => {
    const what = oddity(value);
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

  // A copy in which promises are what they give.
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
