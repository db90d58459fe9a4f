// Run it: npx ses-executor run examples/hello.js
const words = ['hello', 'from', 'the', 'isolate'];
console.log(words.join(' '));
words.map((word) => word.length);
