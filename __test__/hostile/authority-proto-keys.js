// attack: own keys named __proto__ and constructor in arguments, results and output
// outcome: value [ [ '__proto__', 'constructor' ], true, 'undefined', { ['__proto__']: { polluted: 1 }, constructor: { prototype: { polluted: 1 } } } ]
// state: READY
const evil = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}');
const back = await later(evil);
return [Object.keys(back), Object.getPrototypeOf(back) === Object.prototype, typeof {}.polluted, back];
