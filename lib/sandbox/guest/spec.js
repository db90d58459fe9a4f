// Guest code: `spec`, made from the texts of `../registry.js`. Everything but the names of the sources is made when
// somebody asks for it, from texts that lie outside of the heap.
({ sources, heads, details, index, lines, grams, headAt, detailAt, defs }) => {
  const { freeze, defineProperty } = Object;
  const bySource = new Map();
  const methods = new Map();

  // Name and description of the method of a line.
  const headOf = (line) => JSON.parse(heads.slice(headAt[line], headAt[line + 1] - 1));

  // All of a source.
  const headsOf = ({ first, count }) =>
    count === 0 ? [] : JSON.parse(`[${heads.slice(headAt[first], headAt[first + count] - 1)}]`);

  // Methods that a search gives which have only some of its words.
  const MAX_PARTIAL = 20;
  // Characters of shared schemas that a method's parameters come with.
  const MAX_DEFS_CHARS = 6_000;

  const textOfDef = new Map(defs.names.map((name, i) => [name, () => defs.text.slice(defs.at[i], defs.at[i + 1])]));

  // The parameters with what they refer to, as far as the size allows, the nearest first.
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

  // The console would show getters as such: it looks at what they give, as deep as it goes.
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

  const lineText = (line) => index.slice(lines[line], line + 1 < lines.length ? lines[line + 1] - 1 : undefined);

  const sourceOfLine = (line) => sources.find(({ first, count }) => line >= first && line < first + count);

  // Ranges of lines outside of which no line has all of the texts: first line, and the one behind the last.
  const rangesWith = (texts) => {
    const words = grams.bits.length / grams.hashes;
    const bits = new Uint32Array(words).fill(0xffffffff);
    for (const text of texts) {
      for (let i = 2; i < text.length; i++) {
        // As in ../registry.js.
        const sum = text.charCodeAt(i - 2) * 961 + text.charCodeAt(i - 1) * 31 + text.charCodeAt(i);
        const at = (sum & (grams.hashes - 1)) * words;
        for (let word = 0; word < words; word++) bits[word] &= grams.bits[at + word];
      }
    }
    const ranges = [];
    for (let first = 0, block = 0; first < lines.length; first += grams.lines, block++) {
      if (((bits[block >> 5] >>> (block & 31)) & 1) === 0) continue;
      const end = Math.min(first + grams.lines, lines.length);
      const last = ranges[ranges.length - 1];
      if (last?.end === first) last.end = end;
      else ranges.push({ first, end });
    }
    return ranges;
  };

  // Lines with all of the words: those with the longest are looked at for the others.
  const linesWith = (words) => {
    const [longest, ...others] = [...words].sort((a, b) => b.length - a.length);
    const found = [];
    for (const { first, end } of rangesWith(words)) {
      const from = lines[first];
      const text = index.slice(from, lines[end]);
      for (let at = text.indexOf(longest); at !== -1;) {
        const line = lineAt(from + at);
        const inLine = others.length > 0 ? lineText(line) : '';
        if (others.every((word) => inLine.includes(word))) found.push(line);
        if (line + 1 >= end) break;
        at = text.indexOf(longest, lines[line + 1] - from);
      }
    }
    return found;
  };

  // Lines with some of the words, those first that have most: a word counts as much as it is rare.
  const linesWithSome = (words) => {
    const scores = new Map();
    for (const word of words) {
      const found = linesWith([word]);
      const weight = Math.log(1 + lines.length / found.length);
      for (const line of found) scores.set(line, (scores.get(line) ?? 0) + weight);
    }
    const ranked = [...scores].sort(([lineA, a], [lineB, b]) => b - a || lineA - lineB);
    return ranked.slice(0, MAX_PARTIAL).map(([line]) => line);
  };

  // The words of a text, each once and without the ending of its plural.
  const wordsOf = (text) => {
    const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}$]+/gu) ?? [];
    return [...new Set(words.map(stemOf))];
  };

  const stemOf = (word) => {
    if (word.length < 4 || word.endsWith('ss')) return word;
    return word.replace(/(?<=s|x|ch|sh)es$|ies$|[sy]$/, '');
  };

  const entryOf = (line) => {
    const source = sourceOfLine(line);
    const [name, description] = headOf(line);
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
    const words = wordsOf(wanted);
    if (words.length === 0 || lines.length === 0) return [];
    const inName = [];
    const inText = [];
    for (const line of linesWith(words)) {
      const entry = entryOf(line);
      const name = entry.method.toLowerCase();
      (words.every((word) => name.includes(word)) ? inName : inText).push(entry);
    }
    const found = [...inName, ...inText];
    return found.length > 0 ? found : linesWithSome(words).map(entryOf);
  };

  // Lines begin with the name of their method and a space, which no name has.
  const lineOf = (path, { first, count }) => {
    if (count === 0) return -1;
    const wanted = `${path.toLowerCase()} `;
    for (const { first: from, end } of rangesWith([wanted])) {
      for (let line = Math.max(from, first); line < Math.min(end, first + count); line++) {
        // Names that differ only in their case look the same in the index.
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
    // Not enumerable: an output that holds all of `spec` is data, and no larger than it has to be.
    defineProperty(spec, name, { value, enumerable: false, writable: false, configurable: false });
  }
  const registry = {
    namesOf: (name) => headsOf(bySource.get(name)).map(([method]) => method),
    isMethod: (name, method) => lineOf(`${name}.${method}`, bySource.get(name)) !== -1,
  };
  return { spec: harden(spec), registry };
};
