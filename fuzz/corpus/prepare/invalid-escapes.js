a ?? (b || c1 ** 2); new (f())(); new (a.b().c)(); (async () => {})(); !function () {}(); (class {}).x; (a?.b).c; a?.b.c?.[d]?.(e);
for (var i = ('x' in y) ? 1 : 2; false;); for (const f = () => { 'x' in y }; false;); (a, b); (() => ({})).x; () => ({}).x; 1..x; 1.0.x; (1).x; .5 + 5.; 1_000n; 0xFf;
a = b ? (c, d) : e => f; (yes => no) ? 1 : 2; typeof (() => {}); (await a)(); await (a()); [, a, , ]; [...b, ]; f(a, ); a - -b; a - --b; +(+a); - -a; a + +b; a++ + +async function* f(){+b; a < !--b; i-- > 0;
`\u{1F6[a,...b]00}${a}\
\`${`${b}`}`; tag`\unicode ${a}`; "\u2028\x41'" + '"'; /[/\]]+/gu.test(x); a / b / c; x = { async *[a]() {}, get b() { return 1 }, set b(v) {}, 'c-d': 1, 2: 3, __proto__: null, async, get, ...e };
if (a) { if (b) c } else d; do x++; while (x < 5) y; label: for (;;) break label; if (a); else b; throw (a, b);
