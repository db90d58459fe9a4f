// attack: text decoded in parts, in an encoding that holds all bytes back until the last part
// outcome: value 'RangeError'
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000}
const decoder = new TextDecoder('shift_jis');
const part = new Uint8Array(2e6);
try {
  for (;;) decoder.decode(part, { stream: true });
} catch (error) {
  return error.name;
}
