// attack: the host's realm by the prototypes of what tools return
// outcome: value [ [ true, true ], [ true, true ], [ true, true ], [ true, true ], [ true, true ], [ true, true ], 'EvalError' ]
// state: READY
const kin = (value, kind) => [value instanceof kind, value.constructor === kind];
const results = await later({ a: {}, b: [], c: new Date(), d: new Map(), e: /x/, f: new Uint8Array(1) });
const { a, b, c, d, e, f } = results;
let chain;
try {
  chain = typeof a.constructor.constructor('return process')();
} catch (error) {
  chain = error.name;
}
return [kin(a, Object), kin(b, Array), kin(c, Date), kin(d, Map), kin(e, RegExp), kin(f, Uint8Array), chain];
