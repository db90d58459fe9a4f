// attack: regular expressions that the host's engine may not know, as arguments
// outcome: value [ 'RangeError', 'RangeError', '/x/v' ]
// state: READY
const names = [];
for (const pattern of [/(?<year>\d{4})-|(?<year>\d\d)/, /(?i:a)b/, /x/v]) {
  try {
    names.push(String(echo(pattern)));
  } catch (error) {
    names.push(error.name);
  }
}
return names;
