// attack: regular expressions nested 50,000 deep, and one that backtracks through a megabyte
// outcome: value [ 'SyntaxError', 'ended' ]
// state: READY
// options: {"timeoutMs":4000}
const name = (work) => {
  try {
    work();
    return 'ended';
  } catch (error) {
    return error.name;
  }
};
return [
  name(() => new RegExp('('.repeat(50_000) + ')'.repeat(50_000)).test('x')),
  name(() => /^(?:a|ab)*c/.test('ab'.repeat(200_000))),
];
