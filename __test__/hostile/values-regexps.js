// attack: regular expressions that the host's engine may not know, or not parse at once, as output
// outcome: value [ { source: '(?<year>\\d{4})-|(?<year>\\d\\d)', flags: '' }, { source: '(?i:a)b', flags: '' }, { source: '[\\p{L}--[a-z]]', flags: 'v' }, /x/dgimsuy, 4000 ]
// state: READY
const { source } = echo(new RegExp('('.repeat(2000) + ')'.repeat(2000)));
return [/(?<year>\d{4})-|(?<year>\d\d)/, /(?i:a)b/, /[\p{L}--[a-z]]/v, /x/dgimsuy, source.length];
