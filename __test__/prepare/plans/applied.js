// The same through functions of functions.
const bound = t0.bind(null, 1);
bound();
(function () {
  arguments[0](1);
})(t1);
new Proxy(t2, {})(1);
[t3].find(Boolean)(1);
Promise.resolve('v').then(ns.x);
await new Promise((resolve) => resolve(ns.y)).then((tool) => tool(1));
