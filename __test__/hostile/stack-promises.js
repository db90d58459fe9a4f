// attack: a chain of a hundred thousand promises that resolve each other
// outcome: value 'end'
// state: READY
// options: {"maxOperations":1000000,"timeoutMs":4000}
let promise = Promise.resolve('end');
for (let i = 0; i < 100_000; i++) {
  const inner = promise;
  promise = new Promise((resolve) => resolve(inner));
}
return promise;
