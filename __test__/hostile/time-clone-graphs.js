// attack: clones of a shared graph, of cycles, of proxies, of values that change while they are read, and of 50,000 levels
// outcome: value [ 'object', true, 'DataCloneError', 'object', 'RangeError' ]
// state: READY
// options: {"timeoutMs":20000,"maxOperations":1000000}
const nameOf = (attempt) => {
  try {
    return attempt();
  } catch (error) {
    return error.name;
  }
};
let graph = [1];
for (let i = 0; i < 40; i++) graph = [graph, graph];
const cycle = {};
cycle.self = cycle;
const map = new Map([[1, 1]]);
const grows = { map, get more() { for (let i = 0; i < 1000; i++) map.set(i, map); return 1; }, again: map };
let deep = [];
for (let i = 0; i < 50_000; i++) deep = [deep];
return [
  nameOf(() => typeof structuredClone(graph)),
  nameOf(() => { const copy = structuredClone(cycle); return copy.self === copy && copy !== cycle; }),
  nameOf(() => structuredClone(new Proxy({}, { ownKeys() { for (;;); } }))),
  nameOf(() => typeof structuredClone(grows)),
  nameOf(() => structuredClone(deep).length),
];
