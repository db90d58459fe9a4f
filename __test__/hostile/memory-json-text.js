// attack: JSON text of half a gigabyte
// outcome: value 465000001
// state: READY
// options: {"timeoutMs":6000}
// peak: 593 one string of 465 million characters
return JSON.stringify(Array(5e6).fill('x'.repeat(90))).length;
