// attack: base64 of base64, on and on
// outcome: value 'RangeError'
// state: READY
// options: {"timeoutMs":20000}
let text = 'x'.repeat(1000);
try {
  for (;;) text = btoa(text);
} catch (error) {
  return error.name;
}
