// Longest palindrome around each centre, and reversed words.
let s = '';
for (let i = 0; i < 6000; i++) s += 'abcba'[(i * i + (i >> 2)) % 5];
function expand(text, left, right) {
  while (left >= 0 && right < text.length && text[left] === text[right]) {
    left--;
    right++;
  }
  return right - left - 1;
}
let start = 0;
let longest = 0;
for (let i = 0; i < s.length; i++) {
  const length = Math.max(expand(s, i, i), expand(s, i, i + 1));
  if (length > longest) {
    longest = length;
    start = i - Math.floor((length - 1) / 2);
  }
}
const isPalindrome = (word) => word === word.split('').reverse().join('');
let count = 0;
for (let i = 0; i < 60000; i++) if (isPalindrome(String(i))) count++;
return [longest, s.substring(start, start + 12), count];
