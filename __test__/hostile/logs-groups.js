// attack: groups without end, whose indentation grows with every line
// outcome: value 'done'
// state: READY
// options: {"maxOperations":2000000,"timeoutMs":6000}
for (let i = 0; i < 100_000; i++) {
  console.group(i);
  console.log('inner\nline');
}
for (let i = 0; i < 100_000; i++) console.count(`label ${i}`);
for (let i = 0; i < 100_000; i++) console.time(`timer ${i}`);
return 'done';
