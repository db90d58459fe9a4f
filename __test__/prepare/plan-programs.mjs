// Random programs that reach tools in every way that the language has, for the property test of plans.

import { TOOL_NAMES } from './plan-tools.mjs';

/** A generator of numbers from 0 to 1 that repeats itself for the same seed. */
function generatorOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A session: programs that ran before, and the program that a plan is made for. Later programs use names of earlier
 * ones.
 *
 * @returns the texts of the programs, the last of which is the one of the plan
 */
export function randomSession(seed) {
  const random = generatorOf(seed);
  // Most programs of wild sessions may call every tool. Those of calm ones show what they call.
  const session = new ProgramMaker(random, [0, 0, 0.03, 0.1, 1][Math.floor(random() * 5)]);
  if (random() < 0.15) return session.scenario();
  const programs = [];
  const count = random() < 0.5 ? 1 : random() < 0.6 ? 2 : 3;
  for (let i = 0; i < count; i++) programs.push(session.program(i, i === count - 1));
  return programs;
}

class ProgramMaker {
  #random;
  #wildness;
  /** Names of earlier programs. */
  #earlier = [];
  /** Names in scope, by what they hold. */
  #values = [];
  #functions = [];
  #lists = [];
  #objects = [];
  /** Objects with functions. */
  #holders = [];
  #next = 0;
  #isAsync = true;
  #isInFunction = false;
  #loops = 0;

  /** @param wildness the share of forms that are hard to follow */
  constructor(random, wildness) {
    this.#random = random;
    this.#wildness = wildness;
  }

  program(number, isLast) {
    this.#values = [];
    this.#functions = [];
    this.#lists = [];
    this.#objects = [];
    this.#holders = [];
    this.#loops = 0;
    const statements = ['let budget = 4;', ...Array.from({ length: this.#int(2, 6) }, () => this.#statement(3))];
    // So that later programs find something.
    if (!isLast)
      statements.push(`const g${number} = ${this.#callable(2)};`, `let h${number} = { k: ${this.#callable(1)} };`);
    if (!isLast && this.#chance(0.5)) {
      statements.push(
        `const it${number} = (function* () { yield; yield ${this.#inFunction(false, () => this.#call(1))}; })(); it${number}.next();`,
      );
      this.#earlier.push(`it${number}.next`);
    }
    if (!isLast) this.#earlier.push(`g${number}`, `h${number}.k`, ...this.#topLevel(statements));
    if (this.#chance(0.1)) statements.push(`final_answer(${this.#value(1)});`);
    if (this.#chance(0.1)) statements.splice(this.#int(0, statements.length), 0, `if (${this.#condition()}) return 1;`);
    return statements.join('\n');
  }

  /** Programs in which one rule about sessions matters. */
  scenario() {
    const f = () => this.#callable(1);
    const t = this.#toolName();
    return this.#one([
      [`let f0 = (x) => 1;`, `f0 = ${f()}; 0`, `f0(1);`],
      [`let f0 = (x) => 1; const g0 = () => f0(2);`, `f0 = ${f()}; 0`, `g0();`],
      [`const call = () => later(1);`, `const later = (x) => ${t}(x); call(); call();`],
      [`var v0 = ${f()};`, `var v0; v0(1);`],
      [`var v0 = ${f()};`, `v0?.(1); if (0) { var v0 = 2; }`],
      [`const reg = []; const add = (f) => reg.push(f);`, `add(${f()});`, `reg[0](1);`],
      [`let h; 0`, `h = { k: ${f()} }; 0`, `h.k(1);`],
      [`const set = () => { o2.n = 2; };`, `const o2 = { n: 1 }; set(); ${t}(o2);`],
      [`const set = () => { v2 = 2; };`, `let v2 = 1; set(); ${t}(v2);`],
      [`class Base { m() { return this.hook(1); } }`, `new (class extends Base { hook(x) { ${t}(x); } })().m();`],
      [`const f0 = async () => { await null; await ${t}(1); };`, `await f0(); await f0();`],
      [`function f0() { return ${t}(1); }`, `f0();`, `const f0 = () => 2; f0();`],
      [`const Promise = { all: (x) => ${t}(1) };`, `Promise.all([1]);`, `JSON.stringify(1);`],
      [`globalThis.leak = ${f()};`, `leak(1);`, `const own = 1; own;`],
      [`const it0 = (function* () { yield 1; yield ${t}(2); })(); it0.next();`, `it0.next(); 0`],
      [`const [a0, { b: b0 }] = [${f()}, { b: ${f()} }];`, `a0(1); b0(2);`],
      [`let h0 = { k: 1 };`, `h0.k = ${f()}; 0`, `const { k } = h0; k(1);`],
      [`const f0 = ${f()}; f0.extra = ${f()};`, `f0.extra(1);`],
      [`function outer() { return { get g() { return ${t}(1); } }; }`, `const o = outer(); o.g; o.g;`],
      [`enum E { A = 1 } namespace N { export const f = () => ${t}(1); }`, `N.f();`],
      [`const f0 = () => ${t}(1); f0();`, `${t}(2);`],
      [`data = ${f()};`, `try { data(1); } catch {}`],
      [`let f0 = () => 1; 0`, `[f0] = [${f()}]; 0`, `f0(2);`],
      [`let f0 = () => 1; 0`, `({ f0 } = { f0: ${f()} }); 0`, `f0(2);`],
      [`let f0 = () => 1; 0`, `for (f0 of [${f()}]); 0`, `f0(2);`],
    ]);
  }

  /** Functions that a program declares at its top level. */
  #topLevel(statements) {
    return statements.flatMap((text) => /^(?:async )?function\*? (\w+)\(/.exec(text)?.[1] ?? []);
  }

  // --- statements

  #statement(depth) {
    const at = depth - 1;
    if (depth === 0) return `${this.#call(1)};`;
    return this.#oneOf(
      [
        () => `${this.#call(depth)};`,
        () => `${this.#call(depth)};`,
        () => this.#guarded(`${this.#call(depth)};`),
        () => this.#guarded(`${this.#call(depth)};`),
        () => this.#declaration(depth),
        () => this.#declaration(depth),
        () => this.#declaration(depth),
        () => this.#functionDeclaration(depth),
        () => this.#functionDeclaration(depth),
        () => `if (${this.#condition()}) ${this.#block(at)}${this.#chance(0.5) ? ` else ${this.#block(at)}` : ''}`,
        () => this.#loop(at),
        () => this.#loop(at),
        () =>
          `switch (${this.#int(0, 2)}) { case 0: ${this.#scoped(() => this.#statement(at))} ${this.#one(['break;', ''])} case 1: { ${this.#scoped(() => this.#statement(at))} } default: { ${this.#scoped(() => this.#statement(at))} } }`,
        () =>
          `try ${this.#block(at)} catch (e) ${this.#block(at)}${this.#chance(0.4) ? ` finally ${this.#block(at)}` : ''}`,
        () => `l${this.#fresh()}: ${this.#block(at)}`,
        () => this.#block(at),
        () => this.#earlierUse(at),
        () => this.#shadowing(),
        () => this.#changed(),
        () => this.#changed(),
        () => this.#single(),
      ],
      [
        () => this.#classDeclaration(at),
        () => this.#mutation(at),
        () =>
          `try { throw ${this.#callable(at)}; } catch (e) { ${this.#guarded(`${this.#maybeAwait()}e(${this.#args(at)});`)} }`,
      ],
    );
  }

  /** Names of tools that are other things in some places. */
  #shadowing() {
    const name = this.#one(['t0', 't1', 't2', 't3', 'ns']);
    const plain = `${name === 'ns' ? 'ns.x' : name}(${this.#constant(0)});`;
    const call = this.#guarded(this.#maybeAwait() + plain);
    return this.#one([
      `try { throw (x) => x; } catch (${name}) { ${call} } ${call}`,
      `(function ${name}(n) { return n > 0 ? ${name}(n - 1) : 0; })(1); ${call}`,
      `{ class ${name} { static x() {} } ${call} } ${call}`,
      `{ function ${name}() {} ${call} } ${call}`,
      `for (const ${name} of [() => 1]) { ${call} } ${call}`,
      `switch (0) { case 1: let ${name}; default: } ${call}`,
      `((${name}, read = () => ${name}) => { var ${name} = () => 2; return read(); })(${this.#callable(0)})?.(1);`,
      `((p, read = () => ${name === 'ns' ? 'ns.x' : name}) => { var ${name} = () => 2; return read(); })()(1);`,
      `(() => { ${plain} if (0) { var ${name}_; } })();`,
      `(() => { try { ${plain} } catch {} finally { var ${name} = 1; } })();`,
      `{ ${call} let ${name} = (n) => n; ${call} }`,
      `${name}: { ${call} break ${name}; }`,
    ]);
  }

  /** A value that changes between its declaration and its use. */
  #changed() {
    const [c, t] = [() => this.#constant(0), this.#toolName()];
    const use = (name) => `${this.#maybeAwait()}${t}(${name});`;
    return this.#one([
      () => {
        const change = this.#one([
          `o.n = ${c()};`,
          `const y = o; y.n = ${c()};`,
          `((x) => { x.n = ${c()}; })(o);`,
          `o.m.n = ${c()};`,
          `const { m } = o; m.n = ${c()};`,
          `Object.assign(o, { n: ${c()} });`,
          `[o.n] = [${c()}];`,
          'delete o.n;',
          'o.n++;',
          `({ n: o.n } = { n: ${c()} });`,
          `for (o.n of [${c()}]);`,
          `[o].forEach((x) => { x.n = ${c()}; });`,
          `(function () { this.n = ${c()}; }).call(o);`,
          `o['n'] = ${c()};`,
          `const { ...z } = o; z.m.n = ${c()};`,
          `({ ...o }).m.n = ${c()};`,
          `o.extra = ${c()};`,
          `o.m = ${c()};`,
          '',
        ]);
        const uses = [use('o'), use('o.n'), use('{ o }'), use('[o, o.n]'), use('{ ...o }'), use('{ n: 1, ...o }')];
        return `{ const o = { n: ${c()}, m: { n: ${c()} } }; ${change} ${this.#one(uses)} }`;
      },
      () => {
        const change = this.#one([
          `l.push(${c()});`,
          `l[0] = ${c()};`,
          'l.length = 1;',
          'l.pop();',
          `const y = l; y.push(${c()});`,
          `l.map((x, i, all) => { all[1] = ${c()}; });`,
          `(function () { this.push(${c()}); }).call(l);`,
          `[l[1]] = [${c()}];`,
          'l.reverse();',
          'delete l[0];',
          `((...all) => all[0].push(${c()}))(l);`,
          `l = [${c()}, ${c()}, ${c()}];`,
          '',
        ]);
        return `{ ${change.startsWith('l =') ? 'let' : 'const'} l = [${c()}, ${c()}]; ${change} ${this.#listUse('l', t)} }`;
      },
      () => {
        const change = this.#one([
          `l[0].n = ${c()};`,
          `for (const x of l) x.n = ${c()};`,
          `l.forEach((x) => { x.n = ${c()}; });`,
          `const [first] = l; first.n = ${c()};`,
          `l.at(-1).n = ${c()};`,
          `const copy = l.slice(); copy[0].n = ${c()};`,
          `l.map((x) => x)[0].n = ${c()};`,
          `[...l][1].n = ${c()};`,
          `for (const { m } of l) m.n = ${c()};`,
          '',
        ]);
        const item = () => `{ n: ${c()}, m: { n: ${c()} } }`;
        return `{ const l = [${item()}, ${item()}]; ${change} ${this.#listUse('l', t)} }`;
      },
      () => {
        const change = this.#one([
          `v = ${c()};`,
          `const f = () => { v = ${c()}; }; f();`,
          `[v] = [${c()}];`,
          `({ n: v } = { n: ${c()} });`,
          `for (v of [${c()}]);`,
          "v += 'x';",
          'v++;',
          `v ??= ${c()};`,
          `v ||= ${c()};`,
          '',
        ]);
        return `{ let v = ${c()}; ${change} ${this.#one([use('v'), use('{ v }'), use('`${v}`')])} }`;
      },
      () => `{ ${use('typeof v === "undefined" ? 0 : v')} { var v = ${c()}; } ${use('v')} }`,
      () =>
        `{ const f = (x) => { ${this.#one(['x.n = 2;', 'x = 3;', '', 'const y = x; y.n = 4;', 'arguments;'])} ${t}(x); }; f({ n: 1 }); f({ n: 1 }); }`.replace(
          'arguments;',
          '',
        ),
      () => `{ const f = function (x) { arguments[0].n = 2; ${t}(x); }; f({ n: 1 }); }`,
      () => `{ const f = (x) => ${t}(x); f(${c()}); [${c()}].map(f); f(...[${c()}]); }`,
      () => `{ const f = (x) => ${t}(x); const g = f; g(${c()}); ({ f }).f(${c()}); }`,
      () => `{ const f = (x, ...y) => { ${t}(x, y); }; f(${c()}); f(${c()}, ${c()}); f(); }`,
    ]);
  }

  #listUse(name, tool) {
    return this.#one([
      `for (const x of ${name}) ${tool}(x);`,
      `for (const x of ${name}) { ${tool}(x.n); x.n = 5; ${tool}(x); }`,
      `for (const { n } of ${name}) ${tool}(n);`,
      `${name}.map((x) => ${tool}(x));`,
      `${name}.forEach((x, i) => { ${tool}(x, i); });`,
      `${name}.map(({ n }) => ${tool}({ n }));`,
      `for (let i = 0; i < ${name}.length; i++) ${tool}(i);`,
      `${tool}(${name});`,
      `${tool}({ list: ${name} });`,
      `for (const x of ${name}) { if (${name}.length < 4) ${name}.push(1); ${tool}(x); }`,
      `for (const x of ${name}) for (const y of ${name}) ${tool}(x, y);`,
      `[...${name}].map((x) => ${tool}(x));`,
    ]);
  }

  /** One rule at a time. */
  #single() {
    const f = () => this.#callable(0);
    const t = this.#toolName();
    return this.#guarded(
      this.#one([
        `const o = { f: ${f()}, k: ${f()} }; o.f = function () { return this.k; }; o.f()(1);`,
        `const o = { f() { return 1; }, k: ${f()} }; o.f = function () { this.k(1); }; o.f();`,
        this.#isAsync ? `const o = { then: (r) => { ${t}(1); r(1); } }; await o;` : `${t}(1);`,
        this.#isAsync ? `const o = { then: (r) => { ${t}(1); r(1); } }; await (async () => o)();` : `${t}(1);`,
        `const o = { k: ${f()} }; const { ...r } = o; r.k(1);`,
        `const o = { k: ${f()}, k: [${f()}][0] }; o.k(${f()});`,
        `let s = 'a'; s += 'b'; s.replace('b', ${f()});`,
        `const { length: n } = 'ab'; Array.from({ length: n }, ${f()});`,
        this.#isAsync ? `const p = (async () => 1)(); await p.then(${f()});` : `${t}(1);`,
        this.#isAsync ? `const g = await { then(r) { r((f) => f(1)); } }; g(${f()});` : `${t}(1);`,
        this.#isAsync ? `(await (async () => ({ then: (r) => r(${f()}) }))())(1);` : `${t}(1);`,
        `const o = { k: ${f()} }; ({ ...o }).k(1);`,
        `const o = { k: ${f()} }; o[String('k')](1);`,
        `const o = { toString: ${f()} }; \`\${o}\`;`,
        `const o = { valueOf: ${f()} }; o + 1;`,
        `const o = { valueOf: ${f()} }; o < 1;`,
        `const o = { toString: ${f()} }; ({ [o]: 1 });`,
        `const o = { toString: ${f()} }; ({})[o];`,
        `const o = { toString: ${f()} }; ${t}(\`\${o}\`);`,
        `const o = { get g() { ${t}(1); return 1; } }; ${t}(o);`,
        `const o = { get g() { ${t}(1); return 1; } }; ${t}({ ...o });`,
        `const o = { next: ${f()}, [Symbol.iterator]() { return this; } }; [...o];`,
        `const [z = ${t}(1)] = [1];`,
        `const { z = ${t}(1) } = { z: 2 };`,
        `((z = ${t}(1)) => z)(3);`,
        `((z = ${t}(1)) => z)();`,
        `function K() { ${t}(1); if (new.target) new.target(2); } new K();`,
        `(function* () { return ${f()}; })().next().value(1);`,
        `class X { static [Symbol.hasInstance](f) { return f(1); } } ${f()} instanceof X;`,
        `const f = ${f()}; f.call(null, 1);`,
        `const f = ${f()}; f.apply(null, [1]);`,
        `const f = ${f()}; f.bind(null, 1)();`,
        `((f) => { var f; f(1); })(${f()});`,
        `const f = ${this.#condition()} ? ${t} : [() => 1][0]; f(1);`,
        `let f = ${t}; if (${this.#condition()}) f = [() => 1].at(0); f(1);`,
        `function K() { this.f = ${f()}; } const k = new K(); k.f(1);`,
        `class K { constructor(f) { this.f = f; } } new K(${f()}).f(1);`,
        `class K { static f = ${f()}; static g() { return this.f(1); } } K.g();`,
        `class K { m() { return super.toString; } } new K().m(); ${t}(2);`,
        `const o = { k: ${f()}, m() { return super.valueOf(); } }; o.m().k(1);`,
        `const x = (f) => f(1); x(${f()}); [x].map((g) => g(${f()}));`,
        `const x = (f) => (g) => f(g); x(${f()})(${f()});`,
        `let f; (() => { f = ${f()}; })(); f(1);`,
        `const all = []; all.push(${f()}); all[0](1);`,
        `const all = {}; all.k = ${f()}; all.k(1);`,
        `const k = 'f'; const o = { [k]: ${f()} }; o.f(1);`,
        `const o = { __proto__: { k: ${f()} } }; o.k(1);`,
        `const o = Object.create({ k: ${f()} }); o.k(1);`,
        `for (const f of new Set([${f()}])) f(1);`,
        `const it = [${f()}].values(); it.next().value(1);`,
        `const s = Symbol('s'); const o = { [s]: ${f()} }; o[s](1);`,
        `const w = new WeakMap(); const o = {}; w.set(o, ${f()}); w.get(o)(1);`,
        `label: { const f = ${f()}; if (f) break label; ${t}(1); } ${t}(2);`,
        `do { if (${this.#condition()}) continue; ${t}(1); } while (false); ${t}(2);`,
        `(() => { if (${this.#condition()}) return; ${t}(1); })(); ${t}(2);`,
        `[1].reduce((a, x) => ${t}(x)); [1].reduce((a, x) => ${t}(x), 0);`,
        `[, 1].forEach((x) => ${t}(x)); [,].map((x) => ${t}(x));`,
        `[1, 2].find((x) => ${t}(x)); [].map((x) => ${t}(x));`,
        `(async () => { JSON.parse('x'); ${t}(1); })().catch(() => {});`,
        `(async () => { await null; await null; ${t}(1); })();`,
        `const g = (function* () { yield ${t}(1); ${t}(2); })(); g.next();`,
        `const f = function* () { ${t}(1); }; f();`,
        `switch (1) { case ${t}(1): default: }`,
        `if (${t}(1)) {} else ${t}(2);`,
        `const f = (n) => { if (n > 2) return; ${t}(n); f(n + 1); }; f(0);`,
        `const a = (n) => n > 3 || b(n + 1); const b = (n) => { ${t}(n); return a(n); }; a(0);`,
      ]),
    );
  }

  #guarded(text) {
    return `try { ${text} } catch {}`;
  }

  #block(depth) {
    return this.#scoped(() => {
      const inner = Array.from({ length: this.#int(1, 2) }, () => this.#statement(depth));
      return `{ ${inner.join(' ')} }`;
    });
  }

  /** Names that are declared inside are not used outside. */
  #scoped(make) {
    const kept = [this.#values, this.#functions, this.#lists, this.#objects, this.#holders];
    [this.#values, this.#functions, this.#lists, this.#objects, this.#holders] = kept.map((names) => [...names]);
    const text = make();
    [this.#values, this.#functions, this.#lists, this.#objects, this.#holders] = kept;
    return text;
  }

  #declaration(depth) {
    const name = `v${this.#fresh()}`;
    const kind = this.#one(['const', 'const', 'let', 'var']);
    return this.#oneOf(
      [
        () => this.#declared(this.#functions, name, `${kind} ${name} = ${this.#callable(depth)};`),
        () => this.#declared(this.#functions, name, `${kind} ${name} = ${this.#callable(depth)};`),
        () => this.#declared(this.#values, name, `${kind} ${name} = ${this.#value(2)};`),
        () => this.#declared(this.#values, name, `${kind} ${name} = ${this.#call(1)};`),
        () => this.#declared(this.#lists, name, `${kind} ${name} = [${this.#many(() => this.#constant(1))}];`),
        () =>
          this.#declared(
            this.#lists,
            name,
            `${kind} ${name} = [${this.#many(() => `{ n: ${this.#constant(0)}, m: ${this.#constant(0)} }`)}];`,
          ),
        () =>
          this.#declared(this.#objects, name, `${kind} ${name} = { n: ${this.#value(1)}, m: ${this.#constant(1)} };`),
        () => this.#holder(name, kind, depth),
        () => this.#holder(name, kind, depth),
        () => this.#declared(this.#functions, name, `${kind} { k: ${name} } = { k: ${this.#callable(depth - 1)} };`),
        () => this.#declared(this.#functions, name, `let ${name}; ({ k: ${name} } = { k: ${this.#callable(0)} });`),
        // Shadows a tool.
        () => `{ ${this.#scoped(() => `const t${this.#int(0, 2)} = ${this.#callable(1)}; ${this.#statement(1)}`)} }`,
        () =>
          `{ ${this.#scoped(() => `${this.#statement(1)} function t${this.#int(0, 2)}(p) { ${this.#inFunction(false, () => this.#statement(1))} }`)} }`,
      ],
      [
        () => this.#declared(this.#functions, name, `${kind} [${name}] = [${this.#callable(depth - 1)}];`),
        () =>
          this.#declared(
            this.#functions,
            name,
            `${kind} { x: ${name} = ${this.#callable(0)} } = ${this.#one(['ns', '{}', 'ns.deep'])};`,
          ),
        () => this.#declared(this.#functions, `${name}.x`, `${kind} { ...${name} } = ns;`),
        () => this.#declared(this.#functions, name, `let ${name}; ${name} = ${this.#callable(depth - 1)};`),
        () => this.#declared(this.#functions, name, `let ${name}; [${name} = ${this.#callable(0)}] = [];`),
      ],
    );
  }

  #holder(name, kind, depth) {
    const text = `${kind} ${name} = { f: ${this.#callable(depth - 1)}, k: ${this.#callable(depth - 1)}, g(p) { ${this.#inFunction(false, () => this.#statement(1))} return this.k; } };`;
    this.#functions.push(`${name}.f`, `${name}.g`, `${name}.g()`);
    this.#holders.push(name);
    return text;
  }

  #declared(names, name, text) {
    names.push(name);
    return text;
  }

  #functionDeclaration(depth) {
    const name = `f${this.#fresh()}`;
    const isAsync = this.#chance(0.4);
    const isGenerator = this.#chance(0.15);
    const params = this.#one(['p', 'p', 'p, q', '{ n: p }', 'p = 1', '...p', 'p, q = t1', '[p]']);
    const isRecursive = this.#chance(0.15);
    const body = this.#inFunction(isAsync, () =>
      this.#scoped(() => {
        if (!params.includes('...')) this.#values.push('p');
        if (params === 'p, q' || params.includes('q')) this.#functions.push('q');
        const own = isRecursive ? `if ((budget -= 1) > 0) ${isAsync ? 'await ' : ''}${name}(p);` : '';
        const inner = Array.from({ length: this.#int(1, 2) }, () => this.#statement(Math.max(depth - 2, 1)));
        const last = this.#one([
          '',
          `return ${this.#callable(1)};`,
          `return ${this.#call(1)};`,
          `return p;`,
          isGenerator ? `yield ${this.#callable(0)};` : '',
        ]);
        return `${own} ${inner.join(' ')} ${last}`;
      }),
    );
    this.#functions.push(name);
    return `${isAsync ? 'async ' : ''}function${isGenerator ? '*' : ''} ${name}(${params}) { ${body} }`;
  }

  #classDeclaration(depth) {
    const name = `C${this.#fresh()}`;
    const method = (isAsync) =>
      this.#inFunction(isAsync, () => this.#scoped(() => this.#statement(Math.max(depth, 1))));
    const parts = [
      () => `m(p) { ${method(false)} return ${this.#callable(0)}; }`,
      () => `async n(p) { ${method(true)} }`,
      () => `static s(p) { ${method(false)} }`,
      () => `get g() { ${method(false)} return ${this.#callable(0)}; }`,
      () => `set g(p) { ${method(false)} }`,
      () => `f = ${this.#callable(0)};`,
      () => `#p = ${this.#inFunction(false, () => this.#call(0))}; r() { return this.#p; }`,
      () => `static t = ${this.#callable(0)};`,
      () => `static { ${this.#inFunction(false, () => this.#scoped(() => this.#guarded(this.#statement(1))))} }`,
      () => `constructor(p) { ${method(false)} }`,
      () => `[${this.#one(["'k'", "'f'", 'String(1)'])}](p) { ${method(false)} }`,
      () => `*[Symbol.iterator]() { ${method(false)} yield ${this.#callable(0)}; }`,
    ];
    const chosen = parts.filter(() => this.#chance(0.35)).map((make) => make());
    const made = `i${this.#fresh()}`;
    this.#functions.push(`${made}.m`, `${made}.n`, `${made}.f`, `${made}.g`, `${name}.s`, `${name}.t`);
    this.#objects.push(made);
    return `class ${name} { ${chosen.join(' ')} } var ${made} = new ${name}(${this.#value(0)});`;
  }

  #inFunction(isAsync, make) {
    const outer = [this.#isAsync, this.#isInFunction];
    [this.#isAsync, this.#isInFunction] = [isAsync, true];
    const text = make();
    [this.#isAsync, this.#isInFunction] = outer;
    return text;
  }

  #loop(depth) {
    // Nested loops would call too often.
    if (this.#loops === 2) return this.#statement(depth);
    this.#loops++;
    const text = this.#loopOf(depth);
    this.#loops--;
    return text;
  }

  #loopOf(depth) {
    const name = `i${this.#fresh()}`;
    const body = (names = this.#values) =>
      this.#scoped(() => {
        (names === this.#functions ? this.#functions : this.#values).push(name);
        const condition = this.#condition();
        const jump = this.#chance(0.2) ? `if (${condition}) ${this.#one(['continue', 'break'])};` : '';
        const inner = Array.from({ length: this.#int(1, 2) }, () => this.#statement(depth)).join(' ');
        return this.#one([`{ ${jump} ${inner} }`, `{ ${inner} ${jump} }`]);
      });
    const statement = (at = depth) => this.#scoped(() => this.#statement(at));
    const most = this.#int(0, 3);
    return this.#oneOf(
      [
        () => `for (let ${name} = 0; ${name} < ${most}; ${name}++) ${body()}`,
        () => `for (let ${name} = 1; ${name} <= ${most}; ${name} += ${this.#int(1, 2)}) ${body()}`,
        () =>
          `for (let ${name} = 0, z = ${most}; ${name} < z; ${name}++) { ${this.#one(['', 'z -= 0.5;'])} ${statement()} }`,
        () => `for (let ${name} = 0; ${name} < ${most}; ${name}++) { if (budget-- > 0) ${name}--; ${statement()} }`,
        () => `for (const ${name} of [${this.#many(() => this.#constant(1))}]) ${body()}`,
        () => `for (const ${name} of ${this.#listName()}) ${body()}`,
        () => `for (const ${name} of ${this.#listName()}) ${body()}`,
        () => `for (const { n: ${name} } of ${this.#listName()}) ${body()}`,
        () => `{ let w${name} = ${most}; while (w${name}-- > 0) ${this.#block(depth)} }`,
        () => `{ let w${name} = 0; do ${this.#block(depth)} while (++w${name} < ${most}) }`,
        () =>
          `for (let ${name} = 0; ${name} < ${this.#listName()}.length; ${name}++) { if (${name} > 5) break; ${statement()} }`,
        () =>
          `l${name}: for (const z${name} of [1, 2]) { for (const ${name} of [${this.#many(() => this.#constant(0))}]) { ${statement()} ${this.#one(['continue', 'break'])} l${name}; } ${statement(1)} }`,
      ],
      [
        () => `for (const ${name} of [${this.#many(() => this.#callable(1))}]) ${body(this.#functions)}`,
        () => `for (const ${name} in ns) { ${this.#guarded(`${this.#maybeAwait()}ns[${name}](${this.#args(1)});`)} }`,
        () =>
          `for (const ${name} of (function* () { yield ${this.#inFunction(false, () => this.#callable(1))}; yield 1; })()) ${body(this.#functions)}`,
      ],
    );
  }

  #mutation(depth) {
    const list = this.#listName();
    const object = this.#objectName();
    const holder = this.#holders.length > 0 ? this.#one(this.#holders) : `({ k: ${this.#callable(0)} })`;
    const functions = this.#functions.filter((name) => /^v\d+$/.test(name));
    return this.#guarded(
      this.#oneOf(
        [
          `${list}.push(${this.#constant(1)});`,
          `${list}[${this.#int(0, 2)}] = ${this.#constant(1)};`,
          `${list}.length = 1;`,
          `${list}[0].n = ${this.#constant(0)};`,
          `${object}.n = ${this.#value(1)};`,
          `${object}.m = ${this.#value(1)};`,
          `delete ${object}.n;`,
          `const y = ${object}; y.n = ${this.#constant(0)};`,
          `((o) => { o.n = ${this.#constant(0)}; })(${object});`,
          `[${object}.n] = [${this.#constant(0)}];`,
          ...(this.#values.length > 0
            ? [`${this.#one(this.#values)} = ${this.#value(1)};`, `${this.#one(this.#values)}++;`]
            : []),
          `${list}.forEach((x) => { x.n = ${this.#constant(0)}; });`,
          `${holder}.g = function (p) { return this.k(p); }; ${holder}.g(1);`,
          `${holder}.f = function (p) { return this.f === p ? 0 : this.k; }; ${holder}.f(1)(2);`,
          `(function (o) { o.k(1); })(${holder});`,
          `const { k } = ${holder}; k(${this.#constant(0)});`,
          `[${holder}].forEach((o) => o.k(2));`,
          `${this.#functionName()}.extra = ${this.#callable(0)};`,
          `for (${object}.n of [1, 2]);`,
          `${list}.map((x, i, all) => { all[1] = ${this.#constant(0)}; });`,
        ],
        [
          `Object.assign(${object}, { n: ${this.#constant(0)} });`,
          `${object}.f = ${this.#callable(depth)};`,
          ...(functions.length > 0 ? [`${this.#one(functions)} = ${this.#callable(depth)};`] : []),
          `t${this.#int(0, 2)} = ${this.#callable(depth)};`,
          `ns.x = ${this.#callable(depth)};`,
        ],
      ),
    );
  }

  #earlierUse(depth) {
    if (this.#earlier.length === 0) return this.#statement(depth);
    const name = this.#one(this.#earlier);
    return this.#guarded(
      this.#one([
        `${this.#maybeAwait()}${name}(${this.#args(depth)});`,
        `${this.#maybeAwait()}${name}(${this.#callable(0)});`,
        `[${this.#value(0)}].map(${name});`,
        `(${name})?.(1);`,
        `h0.k = ${this.#callable(0)};`,
        `g0.extra = ${this.#callable(0)};`,
      ]),
    );
  }

  // --- calls

  #call(depth) {
    const at = Math.max(depth - 1, 0);
    const f = () => this.#callable(at);
    const wait = this.#maybeAwait();
    return this.#oneOf(
      [
        () => `${wait}${f()}(${this.#args(at)})`,
        () => `${wait}${f()}(${this.#args(at)})`,
        () => `${wait}${f()}(${this.#args(at)})`,
        () => `${wait}${f()}(${this.#args(at)})`,
        () => `${wait}${this.#toolName()}(${this.#args(at)})`,
        () => `${wait}${this.#toolName()}(${this.#args(at)})`,
        () => `${wait}${this.#toolName()}(${this.#args(at)})`,
        () => `${wait}${f()}?.(${this.#args(at)})`,
        () => `[${this.#many(() => this.#constant(0))}].map(${f()})`,
        () =>
          `[${this.#many(() => this.#constant(0))}].${this.#one(['map', 'forEach', 'filter', 'find', 'some', 'flatMap'])}((x) => ${this.#inFunction(false, () => `${this.#callable(at)}(x)`)})`,
        () =>
          `${this.#listName()}.${this.#one(['map', 'forEach', 'every', 'findLast'])}((x, i) => ${this.#inFunction(false, () => `${this.#callable(at)}(x)`)})`,
        () => `${this.#listName()}.map(async (x) => ${this.#inFunction(true, () => `${this.#toolName()}({ x })`)})`,
        () =>
          this.#isAsync ? `await Promise.all([${f()}(${this.#args(at)}), ${f()}(${this.#args(at)})])` : `${f()}()`,
        () => `(${this.#condition()} ? ${this.#call(at)} : ${this.#call(at)})`,
        () => `(${this.#condition()} && ${this.#call(at)})`,
        () => `(${this.#value(0)} ?? ${this.#call(at)})`,
        // Methods of texts and promises that come from somewhere.
        () => `((s) => s.replace(/b/, ${f()}))(${this.#one(["'abc'", 'String(1)', '`b`', "'b' + 1"])})`,
        () => `(() => ${this.#one(["'a,b'", "['a', 'b'].join()"])})().split(',').map(${f()})`,
        () => `${wait}(async () => ${this.#one(['{}', '1', this.#inFunction(false, f)])})().then(${f()})`,
        () => `${wait}(async (p) => p)(${this.#value(0)}).finally(${f()})`,
        () => `${wait}(async () => { throw 1; })().catch(${f()})`,
      ],
      [
        () => `${wait}${f()}.call(null, ${this.#args(at)})`,
        () => `${wait}${f()}.apply(null, [${this.#args(at)}])`,
        () => `${wait}Reflect.apply(${f()}, null, [${this.#args(at)}])`,
        () => `${wait}${f()}(...[${this.#args(at)}])`,
        () => `${wait}${f()}\`a\${${this.#value(0)}}b\``,
        () => `[1, 2].reduce((sum, x) => (${this.#inFunction(false, () => `${this.#callable(at)}(x)`)}, sum), 0)`,
        () =>
          this.#isAsync ? `await Promise.resolve(${this.#value(0)}).then(${f()})` : `Promise.resolve(1).then(${f()})`,
        () =>
          this.#isAsync
            ? `await { then: (r) => { ${this.#inFunction(false, () => this.#callable(at))}(1); r(1); } }`
            : '0',
        () => `\`\${{ toString: () => (${this.#inFunction(false, () => this.#call(at))}, 's') }}\``,
        () => `+{ valueOf: ${f()} }`,
        () => `({ get g() { return ${this.#inFunction(false, () => this.#call(at))}; } }).g`,
        () => `(({ set s(v) { ${this.#inFunction(false, () => this.#call(at))}; } }).s = 1)`,
        () => `JSON.stringify({ toJSON: ${f()} })`,
        () => `[2, 1].sort(${f()})`,
        () => `'x'.replace(/x/, ${f()})`,
        () => `Array.from([${this.#value(0)}], ${f()})`,
        () => `(1 instanceof { [Symbol.hasInstance]: ${f()} })`,
        () => `Object.defineProperty({}, 'p', { get: ${f()} }).p`,
        () => `new Proxy({}, { get: ${f()} }).q`,
        () =>
          `((g) => { g.next(); g.next(${f()}); g.return(1); })((function* () { const got = yield; got?.(1); try { yield; } finally { ${this.#inFunction(false, () => this.#call(0))}; } })())`,
        () => `queueMicrotask(() => ${this.#inFunction(false, () => this.#call(at))})`,
        () => `[...{ *[Symbol.iterator]() { yield ${this.#inFunction(false, () => this.#call(at))}; } }]`,
        () => `new (class { constructor() { ${this.#inFunction(false, () => this.#call(at))}; } })()`,
        () =>
          `(() => { try { return ${this.#inFunction(false, () => this.#call(at))}; } finally { ${this.#inFunction(false, () => this.#call(0))}; } })()`,
        () => `${wait}globalThis[${this.#one(["'t1'", "'t' + 2", '`t${0}`'])}](${this.#args(at)})`,
        () => `${wait}globalThis.t${this.#int(0, 2)}(${this.#args(at)})`,
        () => `console.log({ get a() { return ${this.#inFunction(false, () => this.#call(at))}; } })`,
        () => `Object.entries({ k: ${f()} }).map(([key, f]) => f(key))`,
        () => `(function () { return arguments[0](1); })(${f()})`,
        () => `(function () { 'use strict'; return this(1); }).call(${f()})`,
        () => `new Map([['k', ${f()}]]).forEach((f) => f(1))`,
        () => `${wait}(${f()}, ${f()})(${this.#args(at)})`,
      ],
    );
  }

  // --- callables

  #callable(depth) {
    const simple = [
      () => this.#toolName(),
      () => this.#toolName(),
      () => this.#functionName(),
      () => this.#functionName(),
    ];
    if (depth <= 0) return this.#one(simple);
    const at = depth - 1;
    const f = () => this.#callable(at);
    return this.#oneOf(
      [
        ...simple,
        ...simple,
        () => `(${this.#condition()} ? ${f()} : ${f()})`,
        () => `(0, ${f()})`,
        () => `({ k: ${f()} }).k`,
        () => `((x) => x)(${f()})`,
        () => `(() => ${this.#inFunction(false, () => this.#callable(at))})()`,
        () => (this.#isAsync ? `(await ${f()})` : f()),
        () => `(({ k }) => k)({ k: ${f()} })`,
        () => `((x = ${this.#inFunction(false, () => this.#callable(at))}) => x)()`,
        () => `((p) => ${this.#inFunction(false, () => this.#callable(at))}(p))`,
        () => `((p) => ${this.#inFunction(false, () => this.#call(at))})`,
        () => `(async (p) => { ${this.#inFunction(true, () => this.#call(at))}; return p; })`,
        () => `(function (p) { ${this.#inFunction(false, () => this.#scoped(() => this.#statement(1)))} return p; })`,
      ],
      [
        () => `(${f()} || ${f()})`,
        () => `(undefined ?? ${f()})`,
        () => `[${f()}, ${f()}][${this.#int(0, 1)}]`,
        () => `({ k: ${f()} })[${this.#one(["'k'", "'' + 'k'"])}]`,
        () => `${f()}.bind(null, ${this.#value(0)})`,
        () => `(class { static s = ${this.#inFunction(false, f)}; }).s`,
        () => `new (class { m = ${this.#inFunction(false, f)}; })().m`,
        () => `Object.values({ k: ${f()} })[0]`,
        () => `new Map([[1, ${f()}]]).get(1)`,
        () =>
          this.#isAsync ? `(await new Promise((r) => r(${this.#inFunction(false, () => this.#callable(at))})))` : f(),
        () => `(function* () { yield ${this.#inFunction(false, () => this.#callable(at))}; })().next().value`,
        () => `(({ ...r }) => r.k)({ k: ${f()} })`,
        () => `(([h]) => h)([${f()}])`,
        () => `((...r) => r[0])(${f()})`,
        () => `(function () { return arguments[0]; })(${f()})`,
        () => `new Proxy(${f()}, {})`,
        () => `Object.assign({}, { k: ${f()} }).k`,
        () => `({ ...{ k: ${f()} } }).k`,
        () => `({ get g() { return ${this.#inFunction(false, () => this.#callable(at))}; } }).g`,
        () =>
          `(() => { try { throw ${this.#inFunction(false, () => this.#callable(at))}; } catch (e) { return e; } })()`,
        () => `((s, f) => f)\`\${${f()}}\``,
        () => `new (function () { this.f = ${this.#inFunction(false, () => this.#callable(at))}; })().f`,
        () => `new (function () { this.f = new.target; })().f`,
        () =>
          `(function own(n = 2) { ${this.#inFunction(false, () => this.#call(at))}; return typeof n === 'number' && n > 0 ? own(n - 1) : 0; })`,
        () => `ns[${this.#one(["'x'", "'y'", "'x' + ''", '`y`'])}]`,
        () => `Reflect.get(ns, 'x')`,
        () => `Object.values(ns).find((f) => typeof f === 'function')`,
        () => `[${f()}].find(Boolean)`,
        () => `[${f()}].at(-1)`,
        () => `(${this.#one(['ns', '({ x: t2 })'])}?.x)`,
      ],
    );
  }

  #toolName() {
    return this.#one(TOOL_NAMES);
  }

  #functionName() {
    if (this.#functions.length === 0) return this.#toolName();
    return this.#one(this.#functions);
  }

  // --- values

  #args(depth) {
    return this.#many(() => this.#value(depth), 0, 2);
  }

  #value(depth) {
    return this.#one([
      () => this.#constant(depth),
      () => this.#constant(depth),
      () => (this.#values.length > 0 ? this.#one(this.#values) : this.#constant(0)),
      () => (this.#values.length > 0 ? this.#one(this.#values) : this.#constant(0)),
      () => this.#objectName(),
      () => this.#listName(),
      () => `${this.#objectName()}.n`,
      () => `{ n: ${this.#values.length > 0 ? this.#one(this.#values) : 1}, m: ${this.#constant(0)} }`,
      () => `{ ...${this.#objectName()}, n: ${this.#constant(0)} }`,
      () => `{ n: ${this.#constant(0)}, ...${this.#objectName()} }`,
      () => `[${this.#many(() => this.#constant(0))}, ${this.#listName()}]`,
      () => `\`t\${${this.#values.length > 0 ? this.#one(this.#values) : 1}}\``,
      () => `(${this.#condition()} ? ${this.#constant(0)} : ${this.#constant(0)})`,
      () => `'a' + ${this.#constant(0)}`,
      () => `${this.#listName()}[0]`,
      () => 'undefined',
    ]);
  }

  #constant(depth) {
    const simple = ['1', '2', '-3', "'a'", "'b'", 'null', 'true', '0.5', "''"];
    if (depth === 0) return this.#one(simple);
    return this.#one([
      ...simple,
      `{ n: ${this.#one(simple)} }`,
      `[${this.#one(simple)}]`,
      '{}',
      '[]',
      `{ m: { n: ${this.#one(simple)} } }`,
    ]);
  }

  #listName() {
    return this.#lists.length > 0 ? this.#one(this.#lists) : `[${this.#many(() => this.#constant(0))}]`;
  }

  #objectName() {
    return this.#objects.length > 0 ? this.#one(this.#objects) : `({ n: ${this.#constant(0)} })`;
  }

  #condition() {
    return this.#one([
      'true',
      'false',
      '1',
      "''",
      'typeof t0 === "function"',
      this.#values.length > 0 ? this.#one(this.#values) : '0',
    ]);
  }

  #maybeAwait() {
    return this.#isAsync && this.#chance(0.6) ? 'await ' : '';
  }

  // --- chance

  #fresh() {
    return this.#next++;
  }

  #chance(share) {
    return this.#random() < share;
  }

  #int(from, to) {
    return from + Math.floor(this.#random() * (to - from + 1));
  }

  #many(make, from = 0, to = 3) {
    return Array.from({ length: this.#int(from, to) }, make).join(', ');
  }

  /** One of the calm choices, or of all. */
  #oneOf(calm, wild) {
    return this.#one(this.#chance(this.#wildness) ? [...calm, ...wild] : calm);
  }

  #one(choices) {
    const chosen = choices[Math.floor(this.#random() * choices.length)];
    return typeof chosen === 'function' ? chosen() : chosen;
  }
}
