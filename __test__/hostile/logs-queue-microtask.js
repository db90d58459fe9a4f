// attack: 20,000 microtasks that throw, each another error of a megabyte
// outcome: value 'rejections do not fail the run'
// state: READY
// options: {"timeoutMs":20000}
for (let i = 0; i < 20_000; i++) {
  queueMicrotask(() => {
    throw new Error('x'.repeat(1e6) + i);
  });
}
await null;
return 'rejections do not fail the run';
