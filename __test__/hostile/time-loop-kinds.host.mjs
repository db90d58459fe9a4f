// attack: loops without end in every form that the language has
// outcome: value 'all stopped'
// state: READY
// options: {"timeoutMs":3000}
export const scenario = async ({ run }) => {
  const loops = [
    'while (true);',
    'do {} while (true)',
    'for (let i = 0; ; i++) continue;',
    'outer: for (;;) { for (;;) continue outer; }',
    'for (const x of (function* () { for (;;) yield 1; })());',
    'for await (const x of (async function* () { for (;;) yield 1; })());',
    'for (const x of { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) });',
    'class A { static { for (;;); } }',
    'const f = (x = (() => { for (;;); })()) => x; f();',
    'const { a = (() => { for (;;); })() } = {};',
    'switch (1) { case (() => { for (;;); })(): }',
    'label: { for (;;) { if (0) break label; } }',
    'class B { x = (() => { for (;;); })(); } new B();',
    'class C { get [(() => { for (;;); })()]() {} }',
    '`${(() => { for (;;); })()}`',
    'async function f() { while (1) await null; } await f();',
    'var o = {}; for (o.x in { a: 1 }) for (;;);',
    'if (1) for (;;); else 0;',
  ];
  for (const loop of loops) {
    const outcome = await run(loop);
    if (outcome !== 'ERR_MAX_OPS_EXCEEDED') return `${loop}: ${outcome}`;
  }
  return "value 'all stopped'";
};
