// Guest code: `spec`, made from the texts of `../registry.js`. Everything but the names of the sources is made when
// somebody asks for it, from texts that lie outside of the heap.
({ sources, heads, details, index, lines }) => {
  const { freeze, defineProperty } = Object;
  const texts = { heads, details, index };
  // With what is made on demand.
  const listed = sources.map((source) => ({ ...source }));
  const bySource = new Map();

  // Name, description and length of the details of each method of a source.
  const headsOf = (source) =>
    (source.heads ??= JSON.parse(texts.heads.slice(source.headsFrom, source.headsFrom + source.headsLength)));

  const methodOf = (source, at) => {
    source.methods ??= [];
    if (source.methods[at] !== undefined) return source.methods[at];
    source.starts ??= startsOf(source);
    const [name, description, length] = headsOf(source)[at];
    const from = source.starts[at];
    let known;
    const detail = () => (known ??= harden(JSON.parse(texts.details.slice(from, from + length))));
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
    return (source.methods[at] = harden(method));
  };

  const startsOf = (source) => {
    const starts = [];
    let at = source.detailsFrom;
    for (const [, , length] of headsOf(source)) {
      starts.push(at);
      at += length;
    }
    return starts;
  };

  const allMethods = (source) => (source.all ??= freeze(headsOf(source).map((_, at) => methodOf(source, at))));

  // The number of the line that `at` is in.
  const lineAt = (at) => {
    let low = 0;
    let high = lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (lines[middle] <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  };

  const lineText = (line) => texts.index.slice(lines[line], line + 1 < lines.length ? lines[line + 1] - 1 : undefined);

  const sourceOfLine = (line) => listed.find(({ first, count }) => line >= first && line < first + count);

  // Lines with all of the words: those with the longest are looked at for the others.
  const linesWith = (words) => {
    const [longest, ...others] = [...words].sort((a, b) => b.length - a.length);
    const found = [];
    for (let at = texts.index.indexOf(longest); at !== -1;) {
      const line = lineAt(at);
      const text = others.length > 0 ? lineText(line) : '';
      if (others.every((word) => text.includes(word))) found.push(line);
      if (line + 1 >= lines.length) break;
      at = texts.index.indexOf(longest, lines[line + 1]);
    }
    return found;
  };

  const entryOf = (line) => {
    const source = sourceOfLine(line);
    const [name, description] = headsOf(source)[line - source.first];
    return { method: `${source.name}.${name}`, source: source.name, name, description };
  };

  const find = (wanted) => {
    if (wanted instanceof RegExp) {
      const pattern = new RegExp(wanted.source, wanted.flags.replace(/[gy]/g, ''));
      const found = [];
      for (let line = 0; line < lines.length; line++) {
        const entry = entryOf(line);
        if (pattern.test(entry.method) || pattern.test(entry.description)) found.push(entry);
      }
      return found;
    }
    if (typeof wanted !== 'string') throw new TypeError('spec.find takes a text or a RegExp');
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0 || lines.length === 0) return [];
    const inName = [];
    const inText = [];
    for (const line of linesWith(words)) {
      const entry = entryOf(line);
      const name = entry.method.toLowerCase();
      (words.every((word) => name.includes(word)) ? inName : inText).push(entry);
    }
    return [...inName, ...inText];
  };

  const method = (path) => {
    const dot = typeof path === 'string' ? path.indexOf('.') : -1;
    const source = dot === -1 ? undefined : bySource.get(path.slice(0, dot));
    const name = dot === -1 ? '' : path.slice(dot + 1);
    const at = source === undefined ? -1 : headsOf(source).findIndex(([known]) => known === name);
    if (at !== -1) return methodOf(source, at);
    const known =
      source === undefined
        ? `the sources are ${listed.map((one) => one.name).join(', ')}`
        : `look with spec.find(${JSON.stringify(name)})`;
    throw new TypeError(`there is no method ${JSON.stringify(String(path))}; ${known}`);
  };

  const shownSources = listed.map((source) => {
    bySource.set(source.name, source);
    const shown = { name: source.name, description: source.description };
    return defineProperty(shown, 'methods', { get: () => allMethods(source), enumerable: true, configurable: false });
  });
  const spec = { sources: shownSources };
  for (const [name, value] of Object.entries({ find, method })) {
    // Not enumerable: an output that holds all of `spec` is data.
    defineProperty(spec, name, { value, enumerable: false, writable: false, configurable: false });
  }
  const namesOf = (name) => headsOf(bySource.get(name)).map(([method]) => method);
  return { spec: harden(spec), namesOf };
};
