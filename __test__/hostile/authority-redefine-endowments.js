// attack: redefining final_answer, tools and console by assignment, definition and deletion
// outcome: final [ 'TypeError', 'TypeError', false, false, false, 'real' ]
// state: READY
const name = (work) => {
  try {
    return String(work());
  } catch (error) {
    return error.name;
  }
};
const fake = () => 'fake';
final_answer([
  name(() => (globalThis.final_answer = fake)),
  name(() => (globalThis.echo = fake)),
  Reflect.deleteProperty(globalThis, 'final_answer'),
  Reflect.defineProperty(globalThis, 'echo', { value: fake }),
  Reflect.defineProperty(Host, 'show', { value: fake }),
  echo('real'),
]);
