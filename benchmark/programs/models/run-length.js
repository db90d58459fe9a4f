// Run-length coding and decoding, and a checksum.
let input = '';
for (let i = 0; i < 30000; i++) input += String.fromCharCode(65 + (i % 7)).repeat((i * i) % 6);
function encode(text) {
  let encoded = '';
  let i = 0;
  while (i < text.length) {
    let run = 1;
    while (i + run < text.length && text[i + run] === text[i]) run++;
    encoded += run + text[i];
    i += run;
  }
  return encoded;
}
function decode(text) {
  let decoded = '';
  let digits = '';
  for (const ch of text) {
    if (ch >= '0' && ch <= '9') {
      digits += ch;
    } else {
      decoded += ch.repeat(Number(digits));
      digits = '';
    }
  }
  return decoded;
}
const encoded = encode(input);
const decoded = decode(encoded);
let crc = 0xffffffff;
for (let i = 0; i < decoded.length; i++) {
  crc ^= decoded.charCodeAt(i);
  for (let k = 0; k < 8; k++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
}
return [encoded.length, decoded === input, (crc ^ 0xffffffff) >>> 0];
