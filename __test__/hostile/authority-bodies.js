// attack: blobs, forms and streams of parts that lie about themselves, of foreign receivers, and made without permission
// outcome: value [ 3, 'TypeError', 'TypeError', 'TypeError', 'TypeError', 'TypeError', '1', 'lie', 3 ]
// state: READY
// options: {"globals":["fetch"]}
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
    return 3;
  }
}
const detached = new Uint8Array(8);
detached.buffer.transfer();
const stream = new Blob(['abc']).stream();
class Lie extends Blob {
  get bytes() {
    return () => 'lie';
  }
}
Object.defineProperty(stream, 'getReader', { value: () => 'lie' });
let bytes = 0;
for await (const part of stream) bytes += part.length;
return [
  await nameOf(() => new Blob([new Liar(3)]).size),
  await nameOf(() => new Blob([detached])),
  await nameOf(() => Blob.prototype.text.call({ size: 1, type: '' })),
  await nameOf(() => FormData.prototype.append.call(new Map(), 'a', 'b')),
  await nameOf(() => Reflect.construct(stream.constructor, [new Uint8Array(1), {}])),
  await nameOf(() => new (new Blob().stream().getReader().constructor)(stream, {})),
  await nameOf(() => new Response(new Lie([1])).text()),
  await nameOf(() => new Lie([1]).bytes()),
  bytes,
];
