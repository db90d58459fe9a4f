// Guest code and host code: ranks methods for a search by words, with the terms of `../search-terms.ts`.
({ text, at, postingAt, postings, names, summaries }, words, linesWith) => {
  const { FIELDS, TAIL, VERBS, EVERYDAY, SAME, SYNONYMS, SELF, IDENTITY, PEOPLE } = words;
  const { stemOf } = words;
  const count = names.length;
  const terms = at.length - 1;

  // Of the weight of the words that are not verbs: what a method that fills up a short list has at least.
  const MOST = 0.35;
  // How well a term fits a word: a synonym of it, a longer or shorter word with the same beginning, a verb or a method
  // of HTTP for it.
  const SYNONYM = 0.7;
  const PREFIX = 0.6;
  const VERB = 0.5;
  const REQUEST = 0.4;
  // The same for a string in the middle of words.
  const INNER = 0.2;
  // Weights of words.
  const OF_EVERYDAY = 0.3;
  const OF_NO_CONCEPT = 0.25;
  const OF_SELF = 1.5;
  const OF_PEOPLE = 0.5;

  const HEADS = FIELDS.name | FIELDS.summary;
  const TAILS = FIELDS.nameTail | FIELDS.summaryTail;
  const ANY = 255;

  // How much a term counts in a method, by the best field that it is in.
  const valueOf = (fields) => {
    if ((fields & HEADS) !== 0) return 1;
    if ((fields & TAILS) !== 0) return 0.6;
    if ((fields & (FIELDS.source | FIELDS.path)) !== 0) return 0.5;
    return (fields & FIELDS.param) !== 0 ? 0.3 : 0.2;
  };
  const VALUES = Float64Array.from({ length: 256 }, (_, fields) => valueOf(fields));

  const stemsOf = (lists) => lists.map((list) => list.map((word) => stemOf(word)));
  const SAME_STEMS = stemsOf(SAME);
  const SYNONYM_STEMS = stemsOf(SYNONYMS);
  const VERB_STEMS = stemsOf(VERBS.map(({ verbs }) => verbs));
  const [SELF_STEMS, IDENTITY_STEMS, PEOPLE_STEMS] = stemsOf([SELF, IDENTITY, PEOPLE]);
  const isVerb = (stem) => VERB_STEMS.some((stems) => stems.includes(stem));

  const termAt = (number) => text.slice(at[number], at[number + 1]);

  // The number of the first term that does not come before a word.
  const firstFrom = (word) => {
    let low = 0;
    let high = terms;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (termAt(middle) < word) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const numberOf = (term) => {
    const number = firstFrom(term);
    return number < terms && termAt(number) === term ? number : -1;
  };

  const weightOf = (number) => words.weightOf(count, postingAt[number + 1] - postingAt[number]);

  // Terms that a word can match, those that fit best first. `whole`: fields in which the term is as good as the word.
  // `isPart`: whether a method with the term is a partial match. `isOwn`: whether the term is the word.
  const matchesOf = (stem, isEveryday) => {
    const found = new Map();
    const add = (term, fit, whole, isPart) => {
      const number = numberOf(term);
      if (number !== -1 && !(found.get(number)?.fit >= fit))
        found.set(number, { number, fit, whole, isPart, isOwn: term === stem });
    };
    add(stem, 1, ANY, true);
    for (const stems of SAME_STEMS) {
      if (stems.includes(stem)) for (const other of stems) add(other, 1, ANY & ~FIELDS.source, true);
    }
    for (const stems of SYNONYM_STEMS) {
      if (stems.includes(stem)) for (const other of stems) add(other, SYNONYM, HEADS, true);
    }
    VERB_STEMS.forEach((stems, kind) => {
      if (!stems.includes(stem)) return;
      for (const other of stems) add(other, VERB, isEveryday ? HEADS : 0, false);
      for (const request of VERBS[kind].requests) add(request, REQUEST, 0, false);
    });
    if (stem.length >= 3) {
      for (let number = firstFrom(stem); number < terms && termAt(number).startsWith(stem); number++) {
        add(termAt(number), PREFIX, 0, true);
      }
    }
    for (let length = Math.max(4, Math.ceil(stem.length / 2)); length < stem.length; length++)
      add(stem.slice(0, length), PREFIX, 0, true);
    return [...found.values()].sort((a, b) => b.fit - a.fit);
  };

  // Whether a method has one of the terms in its name or summary, or in the name of its source.
  const isConcept = (matches) =>
    matches.some(({ number, isPart }) => {
      if (!isPart) return false;
      const wanted = HEADS | TAILS | FIELDS.source;
      return postings.subarray(postingAt[number], postingAt[number + 1]).some((posting) => (posting & wanted) !== 0);
    });

  const importanceOf = (word, matches) => {
    if (EVERYDAY.has(word)) return OF_EVERYDAY;
    return isConcept(matches) ? 1 : OF_NO_CONCEPT;
  };

  const methodsWhere = (isWanted) => {
    const found = [];
    for (let method = 0; method < count; method++) if (isWanted(method)) found.push(method);
    return found;
  };

  const shareOf = (part, whole) => (whole === 0 ? 0 : Math.min(1, part / whole));

  // How well each method fits a search.
  // `spacedWords`: of scripts with spaces. `pairs`: of other scripts, two characters each.
  return (spacedWords, pairs, { isAboutSelf, isAboutPeople }) => {
    // Sums of weights by method: of all words, of matches that count as partial ones, and of words that are not verbs.
    const sums = new Float64Array(count);
    const partial = new Float64Array(count);
    const objects = new Float64Array(count);
    const inNames = new Float64Array(count);
    const inSummaries = new Float64Array(count);
    const wholes = new Uint32Array(count);
    let total = 0;
    let totalOfObjects = 0;

    const addWord = (matches, weight, isObject) => {
      const best = new Float64Array(count);
      const bestPart = new Float64Array(count);
      const isWhole = new Uint8Array(count);
      for (const { number, fit, whole, isPart, isOwn } of matches) {
        const rarity = weightOf(number) * fit * (isPart ? 1 : VERB);
        for (let i = postingAt[number]; i < postingAt[number + 1]; i++) {
          const method = postings[i] >>> 8;
          const fields = postings[i] & ANY;
          const value = fit * VALUES[fields];
          if (value > best[method]) best[method] = value;
          const counts = isPart && (isOwn || fields !== FIELDS.source);
          if (counts && value > bestPart[method]) bestPart[method] = value;
          if ((fields & whole) !== 0) isWhole[method] = 1;
          if ((fields & FIELDS.name) !== 0) inNames[method] += rarity;
          else if ((fields & FIELDS.nameTail) !== 0) inNames[method] += TAIL * rarity;
          if ((fields & FIELDS.summary) !== 0) inSummaries[method] += rarity;
          else if ((fields & FIELDS.summaryTail) !== 0) inSummaries[method] += TAIL * rarity;
        }
      }
      total += weight;
      if (isObject) totalOfObjects += weight;
      for (let method = 0; method < count; method++) {
        sums[method] += weight * best[method];
        partial[method] += weight * bestPart[method];
        if (isObject) objects[method] += weight * bestPart[method];
        wholes[method] += isWhole[method];
      }
    };

    const addLines = (string, fit) => {
      const found = linesWith(string);
      if (found.length === 0) return;
      const weight = words.weightOf(count, found.length);
      total += weight;
      totalOfObjects += weight;
      for (const method of found) {
        sums[method] += weight * fit;
        partial[method] += weight * fit;
        objects[method] += weight * fit;
      }
    };

    const addConcept = (stems, weight) => {
      const numbers = stems.map(numberOf).filter((number) => number !== -1);
      const isPart = spacedWords.length === 0;
      const matches = numbers.map((number) => ({ number, fit: 1, whole: 0, isPart, isOwn: true }));
      if (matches.length > 0) addWord(matches, weight, isPart);
    };

    for (const word of spacedWords) {
      const stem = stemOf(word);
      const matches = matchesOf(stem, EVERYDAY.has(word));
      if (matches.length === 0) addLines(word, INNER);
      else addWord(matches, weightOf(matches[0].number) * importanceOf(word, matches), !isVerb(stem));
    }
    for (const pair of pairs) addLines(pair, 1);
    const isWhoAmI = isAboutSelf && spacedWords.length === 0;
    if (isAboutSelf) addConcept(SELF_STEMS, OF_SELF);
    if (isWhoAmI) addConcept(IDENTITY_STEMS, OF_SELF);
    if (isAboutPeople && !isWhoAmI) addConcept(PEOPLE_STEMS, OF_PEOPLE);

    return {
      // Names and summaries count by the share of them that the words make up.
      scoreOf: (method) => {
        const ofObjects = totalOfObjects === 0 ? 1 : objects[method] / totalOfObjects;
        const ofNames = shareOf(inNames[method], names[method]);
        const ofSummaries = shareOf(inSummaries[method], summaries[method]);
        return 3 * shareOf(sums[method], total) + (0.3 + 0.7 * ofObjects) * (ofNames + 1.5 * ofSummaries);
      },
      // Methods that have all words, or others in their place.
      withAll: () =>
        spacedWords.length > 0 && pairs.length === 0
          ? methodsWhere((method) => wholes[method] === spacedWords.length)
          : [],
      // Methods that have most of the words that are not verbs.
      withMost: () => methodsWhere((method) => totalOfObjects > 0 && objects[method] / totalOfObjects >= MOST),
      withSome: () => methodsWhere((method) => partial[method] > 0),
    };
  };
};
