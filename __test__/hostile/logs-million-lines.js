// attack: a million log lines
// outcome: value 'done'
// state: READY
// options: {"maxOperations":2000000,"timeoutMs":6000}
for (let i = 0; i < 1_000_000; i++) console.log('line', i, { i });
return 'done';
