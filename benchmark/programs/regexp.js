// Addresses found in a string and replaced.
const parts = [];
for (let i = 0; i < 20_000; i++)
  parts.push(`line ${i}: write to user${i % 101}@host${i % 13}.example, or call 555-${1_000 + i}`);
const text = parts.join('\n');
let found = 0;
for (const match of text.matchAll(/([a-z]+\d+)@([a-z]+(\d+))\.example/g)) found += match[1].length + Number(match[3]);
const masked = text.replace(/\b\d{3}-(\d{4,5})\b/g, (_, digits) => `***-${digits.slice(-2)}`);
const lines = masked.split(/\r?\n/).filter((line) => /user(?:1|7)\d?@/.test(line));
return `${found} ${masked.length} ${lines.length}`;
