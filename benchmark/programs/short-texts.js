// Many short texts: cleaned, taken apart and counted.
const names = [];
for (let i = 0; i < 20_000; i++) names.push(`user${i % 97}_Item${i % 13} total,${i}`);
let length = 0;
let found = 0;
const slugs = new Set();
for (const name of names) {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  slugs.add(slug);
  length += slug.length + name.split(/[\s,]+/).length;
  const [, word] = name.match(/(\w+) (\w+)/);
  found += word.length + name.match(/\d+/g).length;
}
const parts = [...slugs].map((slug) => slug.split('-'));
const unique = parts.map((words) => new Set(words)).reduce((sum, words) => sum + new Set(words).size, 0);
return `${length} ${found} ${slugs.size} ${unique}`;
