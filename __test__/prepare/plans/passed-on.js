// Tools that are passed on as values may be called in any way.
const list = [t0, t0];
for (const tool of list) tool(1);
[1, 2].map(t1);
t2.call(null, 1);
Reflect.apply(ns.x, null, [1]);
new Map([['k', ns.y]]).get('k')(1);
((...all) => all[0](1))(ns.deep.z);
