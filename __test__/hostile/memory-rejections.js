// attack: 300,000 rejections that nobody handles
// outcome: value 'done'
// state: READY
// options: {"maxOperations":2000000,"timeoutMs":25000}
for (let i = 0; i < 300_000; i++) Promise.reject(new Error('nobody'));
return 'done';
