// Guest code and host code: finds methods by words, in the texts of `../search-texts.ts`.
({ sources, heads, headAt, index, lines, grams, terms }, kit, rankerOf) => {
  // The largest number of methods with only some of the words of a search.
  const MAX_PARTIAL = 20;
  // A search with fewer full matches than this also returns methods that have most of the words.
  const MIN_FOUND = 10;
  // How many methods are compared with the phrase, and what a match adds to the score.
  const MAX_PHRASES = 40;
  const IS_NAME = 3;
  const IS_PHRASE = 1.5;
  const HAS_PHRASE = 0.4;
  // The name and description of the method in a line.
  const headOf = (line) => JSON.parse(heads.slice(headAt[line], headAt[line + 1] - 1));

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
        // The same hash as in ../search-texts.ts.
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

  return { headOf, sourceOfLine, rangesWith, linesFor };
};
