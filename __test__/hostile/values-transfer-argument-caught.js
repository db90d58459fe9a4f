// attack: arguments beyond the limit again and again, caught each time
// outcome: value 10
// state: READY
// peak: 192 the serialized value may have 64 MB
// options: {"timeoutMs":8000}
let caught = 0;
for (let i = 0; i < 10; i++) {
  await later(Array(1e5).fill('x'.repeat(1e6))).catch(() => caught++);
}
return caught;
