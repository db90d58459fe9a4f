// attack: a million rejections that nobody handles
// outcome: value 'done'
// state: READY
// options: {"maxOperations":2000000,"timeoutMs":8000}
for (let i = 0; i < 1_000_000; i++) Promise.reject(new Error('nobody'));
return 'done';
