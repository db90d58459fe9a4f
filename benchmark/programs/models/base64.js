// Base64 and hexadecimal by hand.
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const bytes = new Uint8Array(150000);
for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 131 + (i >> 5)) & 0xff;
let output = '';
for (let i = 0; i < bytes.length; i += 3) {
  const chunk = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
  output +=
    alphabet[(chunk >> 18) & 63] + alphabet[(chunk >> 12) & 63] + alphabet[(chunk >> 6) & 63] + alphabet[chunk & 63];
}
const lookup = Object.fromEntries([...alphabet].map((ch, i) => [ch, i]));
const decoded = [];
for (let i = 0; i < output.length; i += 4) {
  const chunk =
    (lookup[output[i]] << 18) | (lookup[output[i + 1]] << 12) | (lookup[output[i + 2]] << 6) | lookup[output[i + 3]];
  decoded.push((chunk >> 16) & 255, (chunk >> 8) & 255, chunk & 255);
}
const hex = Array.from(bytes.subarray(0, 20000), (byte) => byte.toString(16).padStart(2, '0')).join('');
return [output.length, decoded.every((byte, i) => byte === bytes[i]), hex.slice(0, 16)];
