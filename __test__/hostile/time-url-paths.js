// attack: paths of URLs that go up and down, in all spellings of a dot, as long as URLs may be
// outcome: value [ [ true, true, true, true, true ], [ 'RangeError', 'RangeError' ] ]
// state: READY
// options: {"timeoutMs":10000}
const parts = ['a/../', '%2e%2E/', '.%2e/x/', '\\a\\..', '//'];
const parsed = parts.map((part) => new URL('http://a/' + part.repeat(1e6 / part.length)).href.length > 8);
const tooLong = [() => new URL('a'.repeat(2 ** 28), 'http://a'), () => new URL('x', 'http://a/' + 'a'.repeat(2 ** 20))];
const thrown = tooLong.map((make) => {
  try {
    return make().href.length;
  } catch (error) {
    return error.name;
  }
});
return [parsed, thrown];
