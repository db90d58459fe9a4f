// An index of words, and sets of them.
const documents = [];
for (let d = 0; d < 1500; d++) {
  const words = [];
  for (let w = 0; w < 60; w++) words.push(`w${(d * w * 7 + w * w + d) % 3001}`);
  documents.push({ id: d, text: words.join(' ') });
}
const index = new Map();
for (const { id, text } of documents) {
  for (const word of text.split(' ')) {
    if (!index.has(word)) index.set(word, new Set());
    index.get(word).add(id);
  }
}
const search = (...terms) => {
  const sets = terms.map((term) => index.get(term) ?? new Set()).sort((a, b) => a.size - b.size);
  return [...sets[0]].filter((id) => sets.every((set) => set.has(id)));
};
let found = 0;
for (let i = 0; i < 3000; i++) found += search(`w${i}`, `w${(i * 3) % 3001}`).length;
const mostCommon = [...index].reduce((best, entry) => (entry[1].size > best[1].size ? entry : best));
return [index.size, found, mostCommon[0], mostCommon[1].size];
