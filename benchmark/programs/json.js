// Text of an array of records, parsed and written again.
const records = [];
for (let i = 0; i < 4_000; i++) {
  records.push({
    id: i,
    name: `name ${i}`,
    tags: ['a', 'b', String(i % 7)],
    nested: { score: i / 3, isOdd: i % 2 === 1 },
  });
}
let text = JSON.stringify(records);
let length = 0;
for (let round = 0; round < 12; round++) {
  const parsed = JSON.parse(text);
  parsed[round].name = 'changed';
  text = JSON.stringify(parsed);
  length += text.length;
}
return length;
