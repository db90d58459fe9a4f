// Words of searches, for guests and for the host.
() => {
  const listOf = (words) => words.split(' ');
  const listsOf = (lines) => lines.map(listOf);

  // Words that are not searched, unless there are no others.
  const STOP_WORDS = new Set(
    listOf(
      'a am an and another are can could do does have how i is it its many me mine much my myself now or please should someone ' +
        'that the their there these this those want was we what which who would you',
    ),
  );
  // The words after these describe the method's object further, and no longer name it.
  const PREPOSITIONS = new Set(
    listOf('across as at between by for from in into of on to under using via when with within without'),
  );
  const IS_UNSPACED = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー]/u;
  const UNSPACED = new RegExp(`${IS_UNSPACED.source.slice(1)}+`, 'gu');
  const IS_ASCII = /^[\0-\x7f]*$/;
  // Characters of a description that are its summary, at most.
  const MAX_SUMMARY = 120;

  // Characters of a word that has a stem, at most.
  const MAX_WORD = 40;

  // The words of a string in lower case. A run in a script without spaces is one word.
  const runsOf = (text) => {
    if (IS_ASCII.test(text)) return text.match(/[a-z\d$]+/g) ?? [];
    return text.replace(UNSPACED, ' $& ').match(/[\p{L}\p{M}\p{N}$]+/gu) ?? [];
  };

  // A word without the ending of its plural, past or gerund.
  const stemOf = (word) => {
    if (word.length < 4 || word.length > MAX_WORD || !/^[a-z]+$/.test(word)) return word;
    const singular = word.endsWith('ss') ? word : word.replace(/(?<=s|x|ch|sh)es$|ies$|s$/, '');
    const bare = singular.replace(/(?:ed|ing)$/, '');
    if (bare.length < 3 || !/[aeiouy][a-z]/.test(bare)) return singular;
    const single = bare === singular || bare.length < 4 ? bare : bare.replace(/([bdgmnprt])\1$/, '$1');
    return single.length < 4 ? single : single.replace(/[eiy]$/, '');
  };

  return {
    listOf,
    runsOf,
    stemOf,
    isUnspaced: (word) => IS_UNSPACED.test(word),
    isStopWord: (word) => STOP_WORDS.has(word),
    isPreposition: (word) => PREPOSITIONS.has(word),
    // A name in camel case as words.
    spaced: (name) => name.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' '),
    summaryOf: (description) => description.slice(0, MAX_SUMMARY).split(/\.\s|[。\n]| \(/, 1)[0],
    // Bits for the fields of a method that a term is in. Tails begin with a preposition.
    FIELDS: { name: 1, summary: 2, nameTail: 4, summaryTail: 8, source: 16, path: 32, param: 64, rest: 128 },
    // Weight of a term in a tail.
    TAIL: 0.25,
    // Weight of a term that `some` of `all` methods have.
    weightOf: (all, some) => Math.log(1 + all / some),
    // What `I` and `my` are called in APIs, and what `who am I` asks for.
    isSelf: (word) => ['i', 'me', 'mine', 'my', 'myself'].includes(word),
    SELF: listOf('authenticated current me self my own'),
    IDENTITY: listOf('user profile account identity'),
    // What `who` can mean.
    PEOPLE: listOf('user member people person collaborator owner'),
    // Verbs by what they do, each with its methods of HTTP.
    VERBS: [
      { requests: ['GET'], verbs: listOf('get list show read fetch view retrieve see find look display check give print tell return lookup search query browse') }, // prettier-ignore
      { requests: ['POST'], verbs: listOf('create add make new open start begin post insert register publish send write submit generate launch trigger upload') }, // prettier-ignore
      { requests: ['DELETE'], verbs: listOf('delete remove destroy erase clear drop cancel revoke unset kick detach take') }, // prettier-ignore
      { requests: ['PATCH', 'PUT'], verbs: listOf('update edit change modify set rename replace patch adjust close reopen mark move turn switch toggle put save enable disable make give assign') }, // prettier-ignore
    ],
    // Verbs that say little about which method is wanted.
    EVERYDAY: new Set(
      listOf(
        'get list show read fetch view retrieve see find look display check give print tell return create add make new open start ' +
          'post delete remove update edit change modify set put take',
      ),
    ),
    // Words that are short forms of each other.
    SAME: listsOf([
      'repo repository',
      'org organization organisation',
      'config configuration',
      'info information',
      'auth authentication',
      'app application',
      'env environment',
      'doc document',
      'admin administrator',
      'stat statistic',
      'dir directory',
      'pr pull',
      'db database',
      'msg message',
      'param parameter',
      'perm permission',
    ]),
    // Words of which one can stand for another.
    SYNONYMS: listsOf([
      'access collaboration collaborator',
      'approve review accept',
      'auth authentication authorization login',
      'balance owe owed',
      'ban block',
      'bill invoice',
      'branch ref reference',
      'build deploy deployment',
      'buy purchase order',
      'call request',
      'channel conversation room chat',
      'comment note reply',
      'config configuration setting preference',
      'content item',
      'copy duplicate clone',
      'customer client buyer',
      'dialog modal view',
      'diff compare difference',
      'dir directory folder',
      'direct dm',
      'doc document file',
      'favorite favourite top liked saved starred',
      'give grant assign',
      'grant permission',
      'hook webhook callback subscription subscribe',
      'hour time duration',
      'info information detail',
      'job run',
      'kick ban remove',
      'like save star favorite',
      'limit quota left remaining',
      'link url permalink',
      'log history event audit timeline',
      'mail email',
      'message chat dm',
      'nickname nick name',
      'old previous version',
      'online presence active',
      'past recent history',
      'permission access right role',
      'picture photo image avatar thumbnail icon',
      'play resume start playback',
      'podcast show',
      'popular top',
      'price quote cost rate',
      'private visibility public',
      'question ask',
      'react reaction emoji',
      'reject decline deny dismiss',
      'rename name',
      'schedule later',
      'secret credential token key',
      'server guild',
      'share collaboration',
      'sign signature',
      'similar related',
      'skip next',
      'snooze dnd disturb',
      'song track music',
      'spend cost usage',
      'stat statistic metric',
      'status state presence',
      'stop pause end',
      'task todo issue',
      'thread reply',
      'ticket issue case',
      'trash bin deleted',
      'user account profile identity',
      'user member person people everyone everybody anyone participant collaborator teammate contributor',
      'workflow pipeline build ci',
      'workspace team',
    ]),
  };
};
