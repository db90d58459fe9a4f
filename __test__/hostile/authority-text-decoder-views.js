// attack: bytes that are detached, on the heap, or of classes that lie about themselves, read and written as text
// outcome: value [ '', 'abc', 'TypeError', 'bc', '', [ 0, 0 ], 'TypeError', [ 1, 2 ], 'c3' ]
// state: READY
const nameOf = (attempt) => {
  try {
    return attempt();
  } catch (error) {
    return error.name;
  }
};
const decoder = new TextDecoder();
const encoder = new TextEncoder();
const detached = encoder.encode('secret');
detached.buffer.transfer();
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
  subarray() {
    return new Uint8Array(1e6);
  }
  slice() {
    return this;
  }
}
const liar = new Liar([97, 98, 99]);
const small = new Uint8Array([97, 98, 99]);
const target = new Uint8Array(8);
const gone = new Uint8Array(8);
gone.buffer.transfer();
return [
  nameOf(() => decoder.decode(detached)),
  nameOf(() => decoder.decode(liar)),
  nameOf(() => decoder.decode({ length: 3, byteLength: 3, buffer: new ArrayBuffer(3) })),
  nameOf(() => decoder.decode(new DataView(small.buffer, 1))),
  nameOf(() => decoder.decode(new ArrayBuffer(0))),
  nameOf(() => Object.values(encoder.encodeInto('abc', gone))),
  nameOf(() => encoder.encodeInto('abc', new Uint16Array(4))),
  nameOf(() => Object.values(encoder.encodeInto('\u00fcx', target.subarray(0, 2)))),
  target[0].toString(16),
];
