// attack: a function bound a hundred thousand times, and a proxy around a proxy as often
// outcome: value [ 'ended', 'RangeError', 'ended' ]
// state: READY
// options: {"maxOperations":1000000,"timeoutMs":4000}
const name = (work) => {
  try {
    work();
    return 'ended';
  } catch (error) {
    return error.name;
  }
};
const nest = () => {
  let bound = () => 1;
  let proxy = {};
  let callable = () => 1;
  for (let i = 0; i < 100_000; i++) {
    bound = bound.bind(null);
    proxy = new Proxy(proxy, {});
    callable = new Proxy(callable, {});
  }
  console.log(bound, proxy);
  return [name(() => bound()), name(() => proxy.x), name(() => callable())];
};
return nest();
