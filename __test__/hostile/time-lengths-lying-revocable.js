// attack: the same by Proxy.revocable, Reflect.construct and a class
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
const handler = () => {
  let reads = 0;
  return { get: (list, key) => (key === 'length' && reads++ > 0 ? 2 ** 53 - 1 : list[key]) };
};
const made = [
  Proxy.revocable([], handler()).proxy,
  Reflect.construct(Proxy, [[], handler()]),
  Reflect.construct(Proxy, [[], handler()], Array),
];
for (const proxy of made) if (Array.isArray(proxy)) proxy.indexOf(1) + Array.prototype.indexOf.call(proxy, 1);
return 'never';
