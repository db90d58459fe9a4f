// attack: arguments beyond the limit again and again, caught each time
// outcome: value 20
// state: READY
// options: {"timeoutMs":5000}
let caught = 0;
for (let i = 0; i < 20; i++) {
  await later(Array(1e5).fill('x'.repeat(1e6))).catch(() => caught++);
}
return caught;
