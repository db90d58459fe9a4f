// attack: hosts of a megabyte: of labels, of punycode, of characters to be normalised and ordered, of numbers
// outcome: value 'each is a URL or none'
// state: READY
// options: {"timeoutMs":20000}
const hosts = [
  'a.'.repeat(5e5),
  'xn--' + 'a'.repeat(1e6),
  'xn--' + '9'.repeat(1e6),
  'xn--a.'.repeat(1e5),
  '\u00fc'.repeat(5e5),
  '\u0328\u0301'.repeat(3e5),
  '\ufdfa'.repeat(5e4),
  '\u05d0a'.repeat(3e5),
  '1.'.repeat(5e5),
  '0x' + 'f'.repeat(1e6),
  '[' + ':1'.repeat(5e5) + ']',
  '%'.repeat(1e6),
  '@'.repeat(1e6),
];
for (const host of hosts) URL.parse('http://' + host + '/')?.href;
for (const host of hosts) new URL('http://a/').host = host.slice(0, 9e5);
return 'each is a URL or none';
