// Guest code: `spec`, made from the texts of `../registry.ts`. Everything except the names of the sources is made when
// it is first read, from texts outside of the heap.
({ sources, heads, details, index, lines, headAt, detailAt, defs }, { headOf, sourceOfLine, rangesWith, linesFor }) => {
  const { freeze, defineProperty } = Object;
  const { log } = console;
  const bySource = new Map();
  const methods = new Map();

  // The names and descriptions of all methods of a source.
  const headsOf = ({ first, count }) =>
    count === 0 ? [] : JSON.parse(`[${heads.slice(headAt[first], headAt[first + count] - 1)}]`);

  // The largest number of methods that a search returns.
  const MAX_FOUND = 50;
  // Characters of shared schemas that are added to the parameters of a method.
  const MAX_DEFS_CHARS = 6_000;

  const textOfDef = new Map(defs.names.map((name, i) => [name, () => defs.text.slice(defs.at[i], defs.at[i + 1])]));

  // The parameters with the schemas that they refer to, as far as the size allows. Schemas with a shorter path of
  // references come first.
  const withDefs = (params) => {
    const found = new Map(Object.entries(params.$defs ?? {}));
    const own = found.size;
    let room = MAX_DEFS_CHARS;
    const look = (text) => {
      const names = [];
      for (const [, name] of text.matchAll(/"\$ref":"#\/\$defs\/([\w.-]+)"/g)) {
        const defText = found.has(name) ? undefined : textOfDef.get(name)?.();
        if (defText === undefined || defText.length > room) continue;
        room -= defText.length;
        found.set(name, JSON.parse(defText));
        names.push(defText);
      }
      return names;
    };
    for (let texts = [JSON.stringify(params)]; texts.length > 0;) texts = texts.flatMap(look);
    return found.size === own ? params : { ...params, $defs: Object.fromEntries(found) };
  };

  // The console would show accessors as such. This makes it show their values, to its usual depth.
  const withShown = (object) =>
    defineProperty(object, Symbol.for('nodejs.util.inspect.custom'), {
      value: (depth) => (depth < 0 ? object : { ...object }),
    });

  const makeMethod = (source, line, [name, description]) => {
    let known;
    const detail = () => {
      if (known === undefined) {
        const { params, ...others } = JSON.parse(details.slice(detailAt[line], detailAt[line + 1]));
        known = harden({ params: withDefs(params), ...others });
      }
      return known;
    };
    const method = {
      id: `${source.name}.${name}`,
      source: source.name,
      name,
      description,
      get params() {
        return detail().params;
      },
      get result() {
        return detail().result;
      },
      get examples() {
        return detail().examples;
      },
    };
    methods.set(line, harden(withShown(method)));
    return method;
  };

  const allMethods = (source) =>
    freeze(
      headsOf(source).map((head, at) => methods.get(source.first + at) ?? makeMethod(source, source.first + at, head)),
    );

  const entryOf = (line, [name, description] = headOf(line)) => {
    const source = sourceOfLine(line);
    return { method: `${source.name}.${name}`, source: source.name, name, description };
  };

  const find = (wanted, { limit = MAX_FOUND } = {}) => {
    if (wanted instanceof RegExp) {
      const pattern = new RegExp(wanted.source, wanted.flags.replace(/[gy]/g, ''));
      const found = [];
      for (let line = 0; line < lines.length; line++) {
        const entry = entryOf(line);
        if (pattern.test(entry.method) || pattern.test(entry.description)) found.push(entry);
      }
      return found;
    }
    if (typeof wanted !== 'string') throw new TypeError('spec.find takes a string or a RegExp');
    const found = linesFor(wanted);
    if (found.length <= limit) return found.map((line) => entryOf(line));
    log(`spec.find returns the best ${limit} of ${found.length} methods`);
    return found.slice(0, limit).map((line) => entryOf(line));
  };

  // `tools.search`: the same ranking, with the names that programs call.
  const search = (wanted, most = 20) => {
    const { query, limit = 20 } =
      typeof wanted === 'object' && wanted !== null ? wanted : { query: wanted, limit: most?.limit ?? most };
    if (typeof query !== 'string') throw new TypeError('tools.search takes the words to search for, a string');
    if (!Number.isInteger(limit) || limit < 1)
      throw new RangeError('the limit of tools.search must be an integer >= 1');
    return linesFor(query)
      .slice(0, limit)
      .map((line) => entryOf(line))
      .map(({ method, description }) => ({ name: `sdk.${method}`, description }));
  };

  // The line of a method. A line begins with the name of its method and a space, which no name contains.
  const lineOf = (path, { first, count }) => {
    if (count === 0) return -1;
    const wanted = `${path.toLowerCase()} `;
    for (const { first: from, end } of rangesWith([wanted])) {
      for (let line = Math.max(from, first); line < Math.min(end, first + count); line++) {
        // Names that differ only in case look the same in the index.
        if (index.startsWith(wanted, lines[line]) && path.endsWith(`.${headOf(line)[0]}`)) return line;
      }
    }
    return -1;
  };

  const method = (path) => {
    const dot = typeof path === 'string' ? path.indexOf('.') : -1;
    const source = dot === -1 ? undefined : bySource.get(path.slice(0, dot));
    const name = dot === -1 ? '' : path.slice(dot + 1);
    const line = source === undefined ? -1 : lineOf(path, source);
    if (line !== -1) return methods.get(line) ?? makeMethod(source, line, headOf(line));
    const known =
      source === undefined
        ? `the sources are ${sources.map((one) => one.name).join(', ')}`
        : `look with spec.find(${JSON.stringify(name)})`;
    throw new TypeError(`there is no method ${JSON.stringify(String(path))}; ${known}`);
  };

  const shownSources = sources.map((source) => {
    bySource.set(source.name, source);
    let known;
    const get = () => (known ??= allMethods(source));
    const shown = { name: source.name, description: source.description };
    return withShown(defineProperty(shown, 'methods', { get, enumerable: true, configurable: false }));
  });
  const $defs = {};
  for (const [name, text] of textOfDef) {
    let known;
    const get = () => (known ??= harden(JSON.parse(text())));
    defineProperty($defs, name, { get, enumerable: true, configurable: false });
  }
  const spec = { sources: shownSources };
  for (const [name, value] of Object.entries({ find, method, $defs: withShown($defs) })) {
    // Not enumerable, so that an output that contains all of `spec` is data, and no larger than necessary.
    defineProperty(spec, name, { value, enumerable: false, writable: false, configurable: false });
  }
  const registry = {
    namesOf: (name) => headsOf(bySource.get(name)).map(([method]) => method),
    isMethod: (name, method) => lineOf(`${name}.${method}`, bySource.get(name)) !== -1,
  };
  return { spec: harden(spec), registry, search };
};
