// attack: JSON text of half a gigabyte
// outcome: value 465000001
// state: READY
// options: {"timeoutMs":6000}
// peak: 1100 one string of 465 million characters, which one built-in collects in pieces first
return JSON.stringify(Array(5e6).fill('x'.repeat(90))).length;
