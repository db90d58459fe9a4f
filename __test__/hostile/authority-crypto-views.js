// attack: random numbers and digests of buffers that are detached, or of classes that lie about themselves
// outcome: value [ 'TypeMismatchError', 'TypeMismatchError', true, 32, 'TypeError', 0, 'TypeError', 'TypeError' ]
// state: READY
// options: {"globals":["crypto","abort"]}
const nameOf = async (attempt) => {
  try {
    return await attempt();
  } catch (error) {
    return error.name;
  }
};
class Liar extends Uint8Array {
  get length() {
    return 1e9;
  }
  get byteLength() {
    return 1e9;
  }
  get buffer() {
    return new ArrayBuffer(1);
  }
}
const liar = new Liar(3);
const detached = new Uint8Array(8);
detached.buffer.transfer();
return [
  await nameOf(() => crypto.getRandomValues(new DataView(new ArrayBuffer(8)))),
  await nameOf(() => crypto.getRandomValues({ length: 3 })),
  await nameOf(() => crypto.getRandomValues(liar) === liar),
  await nameOf(async () => (await crypto.subtle.digest('SHA-256', liar)).byteLength),
  await nameOf(() => crypto.subtle.digest('SHA-256', { byteLength: 8 })),
  await nameOf(() => crypto.getRandomValues(detached).length),
  await nameOf(() => Reflect.construct(AbortSignal, [{}])),
  await nameOf(() => AbortSignal.prototype.throwIfAborted.call({})),
];
