// Guest code: `spec`, made from the texts of `../registry.ts`. Everything except the names of the sources is made when
// it is first read, from texts outside of the heap.
({ sources, heads, details, index, lines, grams, terms, headAt, detailAt, defs }, kit, rankerOf) => {
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
  // A search with fewer full matches than this also returns methods that have most of the words.
  const MIN_FOUND = 10;
  // How many methods are compared with the phrase, and what a match adds to the score.
  const MAX_PHRASES = 40;
  const IS_NAME = 3;
  const IS_PHRASE = 1.5;
  const HAS_PHRASE = 0.4;
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

  const { runsOf, stemOf, isUnspaced, isStopWord, isPreposition, isSelf, spaced, summaryOf } = kit;
  const rank = rankerOf(terms, kit, (string) => linesWith([string]));

  // A word without its plural ending.
  const singular = (word) =>
    word.length < 4 || word.endsWith('ss') ? word : word.replace(/(?<=s|x|ch|sh)es$|ies$|[sy]$/, '');

  // The words to search for, without duplicates. Words such as `the` are used only if there are no others. `who am I`
  // has no words.
  const wordsOf = (runs) => {
    const wanted = runs.filter((run) => !isStopWord(run) && !isPreposition(run));
    const kept = wanted.length > 0 || runs.some(isSelf) ? wanted : runs;
    return [...new Map(kept.map((word) => [singular(word), word])).values()];
  };

  // Pairs of adjacent characters of a string without spaces: where its words end is not known.
  const pairsOf = (word) => {
    const characters = [...word];
    if (characters.length < 3) return [word];
    return characters.slice(1).map((character, at) => characters[at] + character);
  };

  const entryOf = (line, [name, description] = headOf(line)) => {
    const source = sourceOfLine(line);
    return { method: `${source.name}.${name}`, source: source.name, name, description };
  };

  const phraseOf = (text) => {
    const stems = runsOf(text).filter((run) => !isStopWord(run) && !isPreposition(run));
    return ` ${stems.map((run) => stemOf(run)).join(' ')} `;
  };

  // Raises the score of the method that the text names, and of methods whose name or summary is or contains the phrase.
  const bonusOf = (text, phrase, line) => {
    const [name, description] = headOf(line);
    if (text === name || text === `${sourceOfLine(line).name}.${name}`) return IS_NAME;
    if (phrase.length < 3) return 0;
    const texts = [spaced(name), `${sourceOfLine(line).name} ${spaced(name)}`, summaryOf(description)];
    const phrases = texts.map((text) => phraseOf(text.toLowerCase()));
    if (phrases.includes(phrase)) return IS_PHRASE;
    return phrases.some((text) => text.includes(phrase)) ? HAS_PHRASE : 0;
  };

  // Methods for a search: first those with all words, then those with some. Both are sorted by score.
  const linesFor = (text) => {
    const wanted = wordsOf(runsOf(text.toLowerCase()));
    if (lines.length === 0) return [];
    // A line contains a name as one word. Terms are the words in it.
    const parted = spaced(text).toLowerCase();
    const runs = runsOf(parted);
    const words = wordsOf(runs);
    const ranking = rank(
      words.filter((word) => !isUnspaced(word)),
      words.filter(isUnspaced).flatMap(pairsOf),
      { isAboutSelf: runs.some(isSelf), isAboutPeople: runs.includes('who') },
    );
    const withWords = wanted.length === 0 ? [] : linesWith(wanted.map(singular));
    const withAll = new Set([...withWords, ...ranking.withAll()]);
    const room = withWords.length > 0 ? MIN_FOUND - withAll.size : MAX_PARTIAL;
    const phrase = phraseOf(parted);
    const byScore = (found) => {
      const scores = new Map(found.map((line) => [line, ranking.scoreOf(line)]));
      const sorted = () => found.sort((a, b) => scores.get(b) - scores.get(a) || a - b);
      for (const line of sorted().slice(0, MAX_PHRASES))
        scores.set(line, scores.get(line) + bonusOf(text, phrase, line));
      return sorted();
    };
    const best = byScore([...withAll]);
    if (room <= 0) return best;
    const partial = withWords.length > 0 ? ranking.withMost() : ranking.withSome();
    return [...best, ...byScore(partial.filter((line) => !withAll.has(line))).slice(0, room)];
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
    log(`spec.find gives ${limit} of ${found.length} methods, those that fit best`);
    return found.slice(0, limit).map((line) => entryOf(line));
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
