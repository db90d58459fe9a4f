// attack: a final answer whose getters give other final answers and throw
// outcome: final { a: '[Getter]', b: 1, c: '[Function: c]' }
// state: READY
final_answer({
  get a() {
    final_answer('nested');
    throw new Error('getter');
  },
  b: 1,
  c: () => {},
});
