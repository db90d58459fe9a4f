// Counts words with a regular expression split and an object.
const vocabulary = ['the', 'quick', 'brown', 'fox', 'jumps', 'over', 'lazy', 'dog', 'and', 'then', 'runs', 'away'];
let text = '';
let seed = 7;
for (let i = 0; i < 120000; i++) {
  seed = (seed * 16807) % 2147483647;
  text += vocabulary[seed % vocabulary.length] + (i % 13 === 0 ? '.\n' : ' ');
}
const counts = {};
const words = text.toLowerCase().split(/\s+/);
for (const word of words) {
  const cleaned = word.replace('.', '');
  if (!cleaned) continue;
  counts[cleaned] = (counts[cleaned] || 0) + 1;
}
const top = Object.entries(counts)
  .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
  .slice(0, 5);
return top.map(([word, count]) => `${word}=${count}`).join(' ');
