// A string built piece by piece, split, and joined.
let text = '';
for (let i = 0; i < 400_000; i++) {
  text += String.fromCharCode(97 + (i % 26));
  if (i % 50 === 49) text += ' ';
}
const words = text.split(' ');
const lines = [];
for (const word of words) lines.push(`${word.slice(0, 3).toUpperCase()}-${word.length}`);
let hash = 0;
const joined = lines.join(',');
for (let i = 0; i < joined.length; i++) hash = (hash * 31 + joined.charCodeAt(i)) | 0;
for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
return hash;
