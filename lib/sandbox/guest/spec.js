// Guest code: `spec`, made from the texts of `../registry.ts`. Everything except the names of the sources is made when
// it is first read, from texts outside of the heap.
({ sources, heads, details, index, lines, grams, headAt, detailAt, defs }) => {
  const { freeze, defineProperty } = Object;
  const { log } = console;
  const bySource = new Map();
  const methods = new Map();

  // The name and description of the method in a line.
  const headOf = (line) => JSON.parse(heads.slice(headAt[line], headAt[line + 1] - 1));

  // The names and descriptions of all methods of a source.
  const headsOf = ({ first, count }) =>
    count === 0 ? [] : JSON.parse(`[${heads.slice(headAt[first], headAt[first + count] - 1)}]`);

  // The largest number of methods that a search returns: with all of its words, and with only some of them.
  const MAX_FOUND = 50;
  const MAX_PARTIAL = 20;
  // Characters of a description that are compared with the search.
  const MAX_SUMMARY = 120;
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

  // The number of the line that contains the position `at`.
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

  // Ranges of lines that may have all of the texts; no other line has. Each has its first line and the line after its
  // last one.
  const rangesWith = (texts) => {
    const words = grams.bits.length / grams.hashes;
    const bits = new Uint32Array(words).fill(0xffffffff);
    for (const text of texts) {
      for (let i = 2; i < text.length; i++) {
        // The same hash as in ../registry.ts.
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

  // Lines with all of the words. Lines with the longest word are searched for the other words.
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

  // The lines with some of the words whose rarities have the largest sums.
  const linesWithSome = (words) => {
    const rarities = new Map();
    const sums = new Map();
    for (const word of words) {
      const found = linesWith([word]);
      const rarity = Math.log(1 + lines.length / found.length);
      rarities.set(word, rarity);
      for (const line of found) sums.set(line, (sums.get(line) ?? 0) + rarity);
    }
    const most = [...sums].sort(([lineA, a], [lineB, b]) => b - a || lineA - lineB).slice(0, MAX_PARTIAL);
    return most.map(([line, sum]) => ({ line, sum: sum / rarities.size }));
  };

  const STOP_WORDS = new Set('a an and are can do does how i is it me my or that the this what which'.split(' '));
  // Words after a preposition describe the method's object and do not name it.
  const PREPOSITIONS = new Set(
    'across as at between by for from in of on to under using via when with within without'.split(' '),
  );
  const IS_UNSPACED = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー]/u;
  const UNSPACED = new RegExp(`${IS_UNSPACED.source.slice(1)}+`, 'gu');
  const IS_ASCII = /^[\0-\x7f]*$/;

  // The words of a string in lower case. A run in a script without spaces is one word.
  const runsOf = (text) => {
    if (IS_ASCII.test(text)) return text.match(/[a-z\d$]+/g) ?? [];
    return text.replace(UNSPACED, ' $& ').match(/[\p{L}\p{M}\p{N}$]+/gu) ?? [];
  };

  const stems = new Map();

  // A word without its plural ending.
  const stemOf = (word) => {
    let stem = stems.get(word);
    if (stem === undefined) {
      stem = word.length < 4 || word.endsWith('ss') ? word : word.replace(/(?<=s|x|ch|sh)es$|ies$|[sy]$/, '');
      stems.set(word, stem);
    }
    return stem;
  };

  // The words to search for, without duplicates. Words such as `the` are used only if there are no others.
  const wordsOf = (text) => {
    const runs = runsOf(text.toLowerCase());
    const words = runs.filter((run) => !STOP_WORDS.has(run) && !PREPOSITIONS.has(run));
    return [...new Set((words.length > 0 ? words : runs).map(stemOf))];
  };

  // The same words, but scripts without spaces are split into pairs of adjacent characters: where their words end is
  // not known.
  const termsOf = (words) => [
    ...new Set(
      words.flatMap((word) => {
        if (!IS_UNSPACED.test(word)) return [word];
        const characters = [...word];
        if (characters.length < 3) return [word];
        return characters.slice(1).map((character, at) => characters[at] + character);
      }),
    ),
  ];

  const fitOf = (term, word) => {
    if (term === word) return 1;
    if (word.includes(term)) return IS_UNSPACED.test(term) ? 1 : word.startsWith(term) ? 0.6 : 0.2;
    return word.length >= 4 && term.startsWith(word) ? 0.6 : 0;
  };

  // How well terms match a string. `best` collects the best match of each term. Returns the matched share of the
  // string's beginning.
  const fit = (terms, text, best) => {
    let covered = 0;
    let length = 0;
    let isFirst = true;
    for (const run of runsOf(text)) {
      if (STOP_WORDS.has(run)) continue;
      if (PREPOSITIONS.has(run)) {
        isFirst = length === 0;
        continue;
      }
      const word = stemOf(run);
      let own = 0;
      for (let at = 0; at < terms.length; at++) {
        const value = fitOf(terms[at], word);
        if (value === 0) continue;
        if (value > best[at]) best[at] = value;
        own += value * Math.min(terms[at].length, word.length);
      }
      if (!isFirst) continue;
      covered += Math.min(own, word.length);
      length += word.length;
    }
    return length === 0 ? 0 : covered / length;
  };

  const meanOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

  // Splits a name in camel case.
  const spaced = (name) => name.replace(/(?<=[\p{Ll}\p{N}])\p{Lu}/gu, ' $&').toLowerCase();

  const scoreOf = ({ source, name, description }, terms) => {
    const inPath = terms.map(() => 0);
    const inSummary = terms.map(() => 0);
    fit(terms, spaced(source), inPath);
    const ofName = fit(terms, spaced(name), inPath);
    const [summary] = description
      .slice(0, MAX_SUMMARY)
      .toLowerCase()
      .split(/\.\s|[。\n]| \(/, 1);
    const ofSummary = fit(terms, summary, inSummary);
    return 2 * meanOf(inPath) + ofName + meanOf(inSummary) + 2 * ofSummary;
  };

  const entryOf = (line, [name, description] = headOf(line)) => {
    const source = sourceOfLine(line);
    return { method: `${source.name}.${name}`, source: source.name, name, description };
  };

  // Sorts the best matches first.
  const ranked = (found, words) => {
    if (found.length === 1) return [entryOf(found[0].line)];
    const terms = termsOf(words);
    return found
      .map(({ line, sum }) => {
        const entry = entryOf(line);
        return { entry, line, score: sum + scoreOf(entry, terms) };
      })
      .sort((a, b) => b.score - a.score || a.line - b.line)
      .map(({ entry }) => entry);
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
    const words = wordsOf(wanted);
    if (words.length === 0 || lines.length === 0) return [];
    const withAll = linesWith(words).map((line) => ({ line, sum: 0 }));
    const found = ranked(withAll.length > 0 ? withAll : linesWithSome(termsOf(words)), words);
    if (found.length <= limit) return found;
    log(`spec.find gives ${limit} of ${found.length} methods, those that fit best`);
    return found.slice(0, limit);
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
  return { spec: harden(spec), registry };
};
