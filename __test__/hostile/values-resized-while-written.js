// attack: a resizable buffer that a getter shrinks and grows while its view is being written
// outcome: value 'lived'
// state: READY
// options: {"maxOperations":100000}
for (let i = 0; i < 200; i++) {
  const buffer = new ArrayBuffer(65_536, { maxByteLength: 1 << 20 });
  const tracking = new Uint8Array(buffer);
  const fixed = new Uint8Array(buffer, 16, 60_000);
  const argument = {
    get first() {
      buffer.resize(i % 3 === 0 ? 0 : i % 3 === 1 ? 8 : 1 << 20);
      return 1;
    },
    tracking,
    fixed,
    buffer,
    get then_() {
      buffer.resize(4);
      return tracking;
    },
    view: new DataView(buffer, 8),
  };
  try {
    echo(argument);
  } catch {
    // A view that is out of bounds cannot be cloned.
  }
}
return 'lived';
