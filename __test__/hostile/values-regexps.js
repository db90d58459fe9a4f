// attack: regular expressions that the host's engine may not know, as output
// outcome: value '[the output cannot be read by this version of Node.js]'
// state: READY
return [
  /(?<year>\d{4})-|(?<year>\d\d)/,
  /(?i:a)b/,
  /[\p{L}--[a-z]]/v,
  /x/dgimsuy,
  new RegExp('('.repeat(2000) + ')'.repeat(2000)),
];
