// attack: words of a long text in a language that Intl looks up in a dictionary, for which it takes many times the text at once
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
new Intl.Segmenter('ja', { granularity: 'word' }).segment('\u65e5\u672c'.repeat(1e7)).containing(0).segment.length;
