// attack: many un-awaited calls with 60 MB each, which the host would have to keep
// outcome: value 0
// state: READY
// processPeak: 192 the arguments reach the host, and are copied on their way
// options: {"timeoutMs":8000}
// peak: 384 arguments of the calls under way, and the text itself
const flood = () => {
  const text = 'x'.repeat(6e7);
  for (let i = 0; i < 500; i++) never(text).catch(() => {});
  return 0;
};
return flood();
