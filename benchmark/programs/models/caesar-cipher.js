// Shifts letters by character codes.
function shift(text, by) {
  let result = '';
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 65 && code <= 90) {
      result += String.fromCharCode(((code - 65 + by) % 26) + 65);
    } else if (code >= 97 && code <= 122) {
      result += String.fromCharCode(((code - 97 + by) % 26) + 97);
    } else {
      result += text[i];
    }
  }
  return result;
}
let message = 'The Quick Brown Fox Jumps Over The Lazy Dog. '.repeat(1500);
for (let round = 1; round <= 6; round++) message = shift(message, round);
const back = [...message.slice(0, 450)].map((ch) => ch.toUpperCase()).join('');
return `${message.length} ${message.slice(0, 19)} ${back.slice(0, 9)}`;
