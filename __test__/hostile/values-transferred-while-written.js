// attack: a buffer that a getter detaches while it is being written
// outcome: value 'lived'
// state: READY
// processPeak: 80 the arguments reach the host, and are copied on their way
for (let i = 0; i < 200; i++) {
  const buffer = new ArrayBuffer(65_536);
  const argument = {
    view: new Uint8Array(buffer),
    get first() {
      buffer.transfer(i);
      return 1;
    },
    again: new Float64Array(buffer, 8),
    buffer,
  };
  try {
    echo(argument);
  } catch {
    // A detached buffer cannot be cloned.
  }
}
return 'lived';
