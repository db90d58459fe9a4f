// attack: regular expressions that the host's engine may not know, or not parse at once, as arguments
// outcome: value [ '(?<year>\\d{4})-|(?<year>\\d\\d)/', '(?i:a)b/', 'x/v', '/x/g' ]
// state: READY
const names = [];
for (const pattern of [/(?<year>\d{4})-|(?<year>\d\d)/, /(?i:a)b/, /x/v, /x/g]) {
  const back = echo(pattern);
  names.push(back instanceof RegExp ? String(back) : `${back.source}/${back.flags}`);
}
return names;
