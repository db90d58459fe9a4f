// A transformed program behaves like the original: generated programs run in the executor and, as the body of an async
// function, in plain Node.js (`vm`). Output, logs, uncaught error and number of loop iterations must be the same.
//
// A program is a tree. It is printed once for the executor, as it is, and once for the reference, where the completion
// value is an explicit `return` and every loop body counts.
import vm from 'node:vm';
import { formatWithOptions, inspect, isDeepStrictEqual } from 'node:util';

import { expect, test } from 'vitest';

import fc from '../fast-check.mjs';
import { expectCode, withExecutor } from '../helpers.mjs';

const NUM_RUNS = 400;

// --- What programs are made of -------------------------------------------------------------------------------------

/// Declared at the top of every program; `clip` keeps values small and free of functions.
const PRELUDE = `
const clip = (v) => typeof v === 'string' ? v.slice(0, 20)
  : Array.isArray(v) ? v.slice(0, 4).map((x) => (typeof x === 'object' && x !== null ? typeof x : x))
  : typeof v === 'object' && v !== null ? { k: typeof v.k === 'object' && v.k !== null ? 'deep' : v.k }
  : v;
const show = (v) => typeof v === 'object' && v !== null ? (Array.isArray(v) ? 'array' : 'object') : v;
const tell = (e) => e instanceof Error ? (e.message.startsWith('own') ? e.message : e.name) : show(e);
let a = 1, b = 'x', c = [1, 2, 3];
var d = { k: 1 };
function add(x, y = 1) { console.log('add', show(x), show(y)); return clip(show(x) + show(y)); }
const later = async (x) => { await null; console.log('later', clip(x)); return x; };
function* count(n) { try { for (let i = 0; i < n; i++) { const got = yield i; if (got) console.log('got', got); } return 'end'; } finally { console.log('closed'); } }
async function* countLater(n) { try { for (let i = 0; i < n; i++) { await null; yield i; } } finally { console.log('closed later'); } }
class Base { static made = 0; #n = 1; x = clip(a); constructor(n) { Base.made += 1; this.#n = n; } get n() { return this.#n; } up() { return ++this.#n; } static of(n) { return new this(n); } }
`;
const NAMES = ['a', 'b', 'c', 'd'];

const name = fc.constantFrom(...NAMES);
const small = fc.integer({ min: 0, max: 3 });

const literal = fc.constantFrom(
  '0',
  '1',
  '-0',
  '2.5',
  '""',
  '"s"',
  "'\\u{1F600}'",
  'true',
  'false',
  'null',
  'undefined',
  '[]',
  '[1, , 2]',
  '({ k: 2 })',
  'NaN',
  '`t`',
);

const AWAIT = '«await»';
const withoutAwait = (e) => e.replaceAll(AWAIT, '');

const { expression, statements } = fc.letrec((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    literal,
    name,
    fc
      .tuple(
        fc.constantFrom('+', '-', '*', '<', '===', '!=', '&&', '||', '??', ','),
        tie('expression'),
        tie('expression'),
      )
      .map(([op, l, r]) =>
        op === '&&' || op === '||' || op === '??' || op === ','
          ? `((${l}) ${op} (${r}))`
          : `(show(${l}) ${op} show(${r}))`,
      ),
    fc.tuple(tie('expression'), tie('expression'), tie('expression')).map(([t, l, r]) => `(${t} ? ${l} : ${r})`),
    fc
      .tuple(fc.constantFrom('!', 'typeof ', 'void ', '-'), tie('expression'))
      .map(([op, e]) => (op === '-' ? `(-show(${e}))` : `(${op}${e})`)),
    fc.tuple(name, tie('expression')).map(([n, e]) => `(${n} = clip(${e}))`),
    fc
      .tuple(name, fc.constantFrom('+=', '??=', '||=', '&&='), tie('expression'))
      .map(([n, op, e]) => (op === '+=' ? `(${n} = clip(show(${n}) + show(${e})))` : `(${n} ${op} clip(${e}))`)),
    fc.constantFrom(
      'c[0]',
      'c.length',
      'd.k',
      'd?.k',
      'c?.[1]',
      'd.k?.none',
      'missing?.x',
      'typeof missing',
      'c.at(-1)',
      'this === undefined',
    ),
    fc.tuple(tie('expression'), tie('expression')).map(([l, r]) => `[clip(${l}), ...[clip(${r})]]`),
    tie('expression').map((e) => `({ k: clip(${e}) })`),
    tie('expression').map((e) => `({ ...d, k: clip(${e}) }).k`),
    tie('expression').map((e) => '`<${show(' + e + ')}>`'),
    fc.tuple(tie('expression'), tie('expression')).map(([l, r]) => `add(${l}, ${r})`),
    tie('expression').map((e) => `add(${e})`),
    tie('expression').map((e) => `((x) => [x, show(x)])(${e})`),
    // Parameters cannot contain `await`.
    tie('expression').map((e) => `(({ k = clip(${withoutAwait(e)}), ...rest } = {}) => k)(d)`),
    fc.tuple(small, small).map(([n, m]) => `[...count(${n})].map((x) => x * ${m})`),
    tie('expression').map((e) => `new (class extends Base { m() { return this.x; } })(show(${e})).m()`),
    tie('expression').map((e) => `Base.of(show(${e})).n`),
    tie('expression').map((e) => `((s, ...v) => s.raw.join('|') + v.length)\`p\${${e}}q\``),
    tie('asyncExpression'),
  ),
  // `await` stays where it is legal.
  asyncExpression: tie('expression').map((e) => `(${AWAIT} later(${e}))`),

  statement: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('expression').map((e) => ({ kind: 'log', e })),
    tie('expression').map((e) => ({ kind: 'expression', e })),
    fc.record({
      kind: fc.constant('declare'),
      how: fc.constantFrom('let', 'const', 'var'),
      name,
      e: tie('expression'),
    }),
    fc.record({
      kind: fc.constant('pattern'),
      how: fc.constantFrom('let', 'const'),
      first: name,
      second: name,
      e: tie('expression'),
      array: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant('if'),
      e: tie('expression'),
      yes: tie('statements'),
      no: fc.option(tie('statements'), { nil: null }),
      bare: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant('loop'),
      how: fc.constantFrom('for', 'forBare', 'while', 'do', 'of', 'in', 'gen', 'await', 'awaitGen', 'ofPattern'),
      n: small,
      label: fc.boolean(),
      body: tie('statements'),
      single: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant('jump'),
      how: fc.constantFrom('break', 'continue'),
      e: tie('expression'),
      outer: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant('try'),
      body: tie('statements'),
      param: fc.constantFrom('e', '', '{ message }', '[a]', 'a'),
      handler: fc.option(tie('statements'), { nil: null }),
      last: fc.option(tie('statements'), { nil: null }),
    }),
    fc.record({ kind: fc.constant('throw'), e: tie('expression'), own: fc.boolean(), when: tie('expression') }),
    fc.record({ kind: fc.constant('block'), body: tie('statements'), label: fc.boolean() }),
    fc.record({
      kind: fc.constant('switch'),
      e: tie('expression'),
      cases: fc.array(
        fc.record({ test: fc.option(literal, { nil: null }), body: tie('statements'), stop: fc.boolean() }),
        { maxLength: 3 },
      ),
    }),
    fc.record({
      kind: fc.constant('function'),
      how: fc.constantFrom('function', 'arrow', 'async', 'generator', 'asyncGenerator', 'method', 'getter', 'static'),
      body: tie('statements'),
      result: tie('expression'),
    }),
    fc.record({ kind: fc.constant('closures'), n: small, how: fc.constantFrom('let', 'var') }),
    fc.record({ kind: fc.constant('return'), e: tie('expression') }),
    fc.constantFrom(
      { kind: 'empty' },
      { kind: 'text', code: "'use strict';" },
      { kind: 'text', code: '// a comment' },
      { kind: 'text', code: '/x/g.test("x");' },
    ),
  ),
  statements: fc.array(tie('statement'), { maxLength: 4, depthSize: 'small' }),
}));

const program = fc.record({
  body: fc.array(statements, { minLength: 1, maxLength: 3 }).map((parts) => parts.flat()),
  end: fc.oneof(
    expression.map((e) => ({ kind: 'expression', e })),
    fc.record({
      kind: fc.constant('declare'),
      how: fc.constantFrom('let', 'const', 'var'),
      name: fc.constant('z'),
      e: expression,
    }),
    fc.record({ kind: fc.constant('ifEnd'), e: expression, yes: expression, no: fc.option(expression, { nil: null }) }),
    fc.record({ kind: fc.constant('tryEnd'), body: expression, handler: expression }),
    expression.map((e) => ({ kind: 'blockEnd', e })),
    expression.map((e) => ({ kind: 'labelEnd', e })),
    expression.map((e) => ({ kind: 'return', e })),
    fc.constant({ kind: 'function', how: 'function', body: [], result: '1' }),
    fc.constant({ kind: 'loop', how: 'for', n: 2, label: false, body: [], single: false }),
    fc.constant({ kind: 'text', code: '' }),
  ),
});

// --- Printing --------------------------------------------------------------------------------------------------------

/// `reference`: count iterations, return the completion value.
const print = ({ body, end }, reference) => {
  let serial = 0;
  const fresh = (prefix) => `${prefix}${serial++}`;
  const count = reference ? '__count();' : '';

  const text = (e, at) => (at.async ? `${e}`.replaceAll(AWAIT, 'await') : withoutAwait(`${e}`));
  const inner = (at, changes = {}) => ({ ...at, ...changes, declared: new Set() });
  const inFunction = (at, changes) => inner(at, { loops: [], labels: [], ...changes });

  const block = (list, at) => `{\n${list.map((s) => statement(s, at)).join('\n')}\n}`;

  const declare = (names, at, make, otherwise) => {
    const isTaken = names.some((n) => at.declared.has(n)) || new Set(names).size !== names.length;
    if (isTaken) return otherwise;
    for (const n of names) at.declared.add(n);
    return make();
  };

  const loop = (s, at) => {
    const label = s.label ? fresh('L') : '';
    const i = fresh('i');
    const here = inner(at, { loops: [...at.loops, label], labels: label ? [...at.labels, label] : at.labels });
    const bodyText =
      s.single && !reference && s.body.length === 1 && ['log', 'expression', 'if', 'empty'].includes(s.body[0].kind)
        ? `\n${statement(s.body[0], here)}`
        : `{ ${count}\n${s.body.map((x) => statement(x, here)).join('\n')}\n}`;
    const n = s.n;
    const heads = {
      for: `for (let ${i} = 0; ${i} < ${n}; ${i}++) `,
      forBare: `let ${i} = 0; @for (;${i}++ < ${n};) `,
      while: `let ${i} = 0; @while (${i}++ < ${n}) `,
      of: `for (const ${i} of [1, 2, 3].slice(0, ${n})) `,
      in: `for (let ${i} in { p: 1, q: 2 }) `,
      gen: `for (var ${i} of count(${n})) `,
      ofPattern: `for (const { k: ${i}, ...rest } of [{ k: 1 }, { k: 2, r: 3 }]) `,
      await: `for await (const ${i} of [later(1), 2].slice(0, ${n})) `,
      awaitGen: `for await (const ${i} of countLater(${n})) `,
    };
    let how = s.how;
    if (!at.async && (how === 'await' || how === 'awaitGen')) how = 'of';
    const put = label ? `${label}: ` : '';
    if (how === 'do') return `let ${i} = 0; ${put}do ${bodyText}\nwhile (++${i} < ${n});`;
    const head = heads[how];
    return head.includes('@') ? `${head.replace('@', put)}${bodyText}` : `${put}${head}${bodyText}`;
  };

  const functionStatement = (s, at) => {
    const f = fresh('f');
    const at2 = inFunction(at, { async: s.how === 'async' || s.how === 'asyncGenerator', returns: s.how !== 'static' });
    const lines = s.body.map((x) => statement(x, at2)).join('\n');
    const result = text(s.result, at2);
    const body = `{\n${lines}\nreturn clip(${result});\n}`;
    const call = (e) => `try { console.log('${f}', ${e}); } catch (e) { console.log('${f} threw', tell(e)); }`;
    switch (s.how) {
      case 'function':
        return `${call(`${f}()`)}\nfunction ${f}() ${body}`;
      case 'arrow':
        return `const ${f} = () => ${body};\n${call(`${f}()`)}`;
      case 'async':
        return `async function ${f}() ${body}\n${at.async ? call(`await ${f}()`) : `${f}().catch(() => {});`}`;
      case 'generator':
        return `function* ${f}() {\nyield 1;\n${lines}\nyield clip(${result});\nreturn 2;\n}\n${call(`[...${f}()]`)}`;
      case 'asyncGenerator':
        return `async function* ${f}() {\nyield 1;\n${lines}\nyield clip(${result});\n}\n${at.async ? `try { for await (const v of ${f}()) { ${count}console.log('${f}', v); } } catch (e) { console.log(tell(e)); }` : ''}`;
      case 'method':
        return `const ${f} = { m() ${body} };\n${call(`${f}.m()`)}`;
      case 'getter':
        return `class ${f} extends Base { get g() ${body} static s = clip(${result}); }\n${call(`[new ${f}(1).g, ${f}.s]`)}`;
      default:
        return `try { class ${f} { static v = 0; static {\n${lines}\n${f}.v = clip(${result});\n} }\nconsole.log(${f}.v); } catch (e) { console.log(tell(e)); }`;
    }
  };

  const jump = (s, at) => {
    const labels = s.outer ? at.labels : [];
    const label = labels[0];
    const isLoopLabel = label !== undefined && at.loops.includes(label);
    if (s.how === 'continue') {
      if (at.loops.length === 0) return ';';
      return `if (${text(s.e, at)}) continue${isLoopLabel ? ` ${label}` : ''};`;
    }
    if (label !== undefined) return `if (${text(s.e, at)}) break ${label};`;
    return at.loops.length > 0 ? `if (${text(s.e, at)}) break;` : ';';
  };

  const statement = (s, at) => {
    const e = s.e === undefined ? '' : text(s.e, at);
    switch (s.kind) {
      case 'log':
        return `console.log('log', clip(${e}));`;
      case 'expression':
        return `(${e});`;
      case 'declare':
        // A `var` would collide with lexical declarations on its way out of the blocks: it gets a unique name.
        if (s.how === 'var') return `var ${fresh('v')} = clip(${e});`;
        return declare([s.name], at, () => `${s.how} ${s.name} = clip(${e});`, `${s.name} = clip(${e});`);
      case 'pattern': {
        const target = s.array ? `[${s.first}, ...${s.second}]` : `{ k: ${s.first} = 5, ...${s.second} }`;
        const source = s.array ? `[].concat(clip(${e}))` : `Object(clip(${e}))`;
        return declare([s.first, s.second], at, () => `${s.how} ${target} = ${source};`, `(${target} = ${source});`);
      }
      case 'if': {
        const yes =
          s.bare && s.yes.length === 1 && s.yes[0].kind === 'expression'
            ? `\n${statement(s.yes[0], inner(at))}`
            : block(s.yes, inner(at));
        return `if (${e}) ${yes}${s.no ? `\nelse ${block(s.no, inner(at))}` : ''}`;
      }
      case 'loop':
        return loop(s, at);
      case 'jump':
        return jump(s, at);
      case 'try': {
        const head = s.param === '' ? 'catch' : `catch (${s.param})`;
        const names = s.param === '{ message }' ? [] : (s.param.match(/[a-d]/g) ?? []);
        const handlerAt = { ...inner(at), declared: new Set(s.param === 'e' ? [] : names) };
        const tellIt =
          s.param === 'e'
            ? "console.log('caught', tell(e));"
            : s.param === '{ message }'
              ? 'console.log(typeof message);'
              : '';
        const handler =
          s.handler || !s.last
            ? `${head} {\n${tellIt}\n${(s.handler ?? []).map((x) => statement(x, handlerAt)).join('\n')}\n}`
            : '';
        const last = s.last ? `finally ${block(s.last, inner(at))}` : '';
        return `try ${block(s.body, inner(at))} ${handler} ${last}`;
      }
      case 'throw':
        return `if (${text(s.when, at)}) throw ${s.own ? `new Error('own' + show(clip(${e})))` : `clip(${e})`};`;
      case 'block': {
        const label = s.label ? fresh('B') : '';
        const at2 = inner(at, { labels: label ? [label, ...at.labels] : at.labels });
        return `${label ? `${label}: ` : ''}${block(s.body, at2)}`;
      }
      case 'switch': {
        // One scope for all cases: declarations are assignments here.
        const at2 = { ...inner(at), declared: new Set(NAMES) };
        let hasDefault = false;
        const cases = s.cases.map(({ test: t, body: list, stop }) => {
          if (t === null && hasDefault) return '';
          if (t === null) hasDefault = true;
          return `${t === null ? 'default' : `case (${t})`}:\n${list.map((x) => statement(x, at2)).join('\n')}${stop ? '\nbreak;' : ''}`;
        });
        return `switch (${e}) {\n${cases.join('\n')}\n}`;
      }
      case 'function':
        return functionStatement(s, at);
      case 'closures': {
        const fs = fresh('fs');
        const i = fresh('i');
        return `const ${fs} = [];\nfor (${s.how} ${i} = 0; ${i} < ${s.n}; ${i}++) { ${count}${fs}.push(() => ${i}); }\nconsole.log(${fs}.map((f) => f()));`;
      }
      case 'return':
        return at.returns ? `if (clip(${e}) === 1) return clip(${e});` : ';';
      case 'text':
        return s.code;
      default:
        return ';';
    }
  };

  const top = { async: true, returns: true, loops: [], labels: [], declared: new Set([...NAMES]) };
  const give = reference ? 'return ' : '';
  const last = () => {
    const e = end.e === undefined ? '' : text(end.e, top);
    switch (end.kind) {
      case 'expression':
        return `${give}(clip(${e}));`;
      case 'declare':
        return `${end.how} z = clip(${e});${reference ? ' return z;' : ''}`;
      case 'ifEnd':
        return `if (${e}) { ${give}clip(${text(end.yes, top)}); }${end.no === null ? '' : ` else ${give}clip(${text(end.no, top)});`}`;
      case 'tryEnd':
        return `try { ${give}clip(${text(end.body, top)}); } catch { ${give}clip(${text(end.handler, top)}); }`;
      case 'blockEnd':
        return `{ ; { ${give}clip(${e}); } }`;
      case 'labelEnd':
        return `END: { ${give}clip(${e}); }`;
      case 'return':
        return `return clip(${e});`;
      default:
        return statement(end, top);
    }
  };
  const lines = body.map((s) => statement(s, top));
  const ending = last();
  // An empty program has the completion value of what stands before it.
  const closed = end.kind === 'text' ? 'for (const x of []) { }' : ending;
  return [PRELUDE, ...lines, closed].join('\n');
};

// --- Running ---------------------------------------------------------------------------------------------------------

const runReference = async (source) => {
  const logs = [];
  let operations = 0;
  const console = { log: (...args) => void logs.push(formatWithOptions({}, ...args)) };
  // PRELUDE is not printed with counters: its two loops are counted here.
  const counted = source
    .replace('for (let i = 0; i < n; i++) { const got', 'for (let i = 0; i < n; i++) { __count(); const got')
    .replace('for (let i = 0; i < n; i++) { await null', 'for (let i = 0; i < n; i++) { __count(); await null');
  const main = vm.runInThisContext(`(async (console, __count) => { "use strict";\n${counted}\n})`);
  let outcome;
  try {
    outcome = { output: await main.call(undefined, console, () => void operations++) };
  } catch (error) {
    outcome = { thrown: error };
  }
  // What was not awaited has its turn, as it has before the executor's run ends.
  await new Promise((resolve) => setImmediate(resolve));
  return { ...outcome, logs: logs.join('\n'), operations };
};

const runExecutor = async (executor, source, options) => {
  try {
    const { output, logs, stats } = await executor.run(source, options);
    return { output, logs, operations: stats.operations };
  } catch (error) {
    if (error.code !== 'ERR_RUNTIME_EXCEPTION') throw error;
    return { thrown: error, logs: error.logs, operations: undefined };
  }
};

const compare = (actual, expected) => {
  // Texts of logs and messages are UTF-8 on their way.
  expect(actual.logs).toBe(expected.logs.toWellFormed());
  expect('thrown' in actual).toBe('thrown' in expected);
  if ('thrown' in expected) {
    const thrown = expected.thrown;
    if (thrown instanceof Error) {
      expect(actual.thrown.details.name).toBe(thrown.name);
      // Messages of the engine differ between versions of V8.
      if (thrown.message.startsWith('own')) expect(actual.thrown.details.message).toBe(thrown.message.toWellFormed());
    } else {
      expect(actual.thrown.details.name).toBe(null);
      expect(actual.thrown.details.message).toBe(typeof thrown === 'string' ? thrown.toWellFormed() : inspect(thrown));
    }
    return;
  }
  if (!isDeepStrictEqual(actual.output, expected.output)) {
    expect.fail(`got ${inspect(actual.output)}, want ${inspect(expected.output)}`);
  }
  expect(actual.operations).toBe(expected.operations);
};

const LIMITS = { maxOperations: 1_000_000, timeoutMs: 20_000 };

/// The executor's program is in the report of a failure.
const checkProgram = async (tree, check) => {
  const source = print(tree, false);
  const reference = await runReference(print(tree, true));
  try {
    await check(source, reference);
  } catch (error) {
    error.message += `\n--- program ---\n${source.slice(PRELUDE.length)}`;
    throw error;
  }
};

test('a transformed program has the output, logs, errors and iterations of plain JavaScript', async () => {
  await fc.assert(
    fc.asyncProperty(program, (tree) =>
      checkProgram(tree, async (source, reference) => {
        await withExecutor(LIMITS, {}, async (executor) => compare(await runExecutor(executor, source), reference));
      }),
    ),
    { numRuns: NUM_RUNS, includeErrorInReport: true },
  );
}, 60_000);

test('a program that runs again in the same executor behaves the same', async () => {
  await withExecutor(LIMITS, {}, async (executor) => {
    await fc.assert(
      fc.asyncProperty(program, (tree) =>
        checkProgram(tree, async (source, reference) => {
          compare(await runExecutor(executor, source), reference);
          compare(await runExecutor(executor, source), reference);
        }),
      ),
      { numRuns: NUM_RUNS / 2, includeErrorInReport: true },
    );
  });
}, 60_000);

test('the limit of iterations is exact', async () => {
  await withExecutor(LIMITS, {}, async (executor) => {
    await fc.assert(
      fc.asyncProperty(program, (tree) =>
        checkProgram(tree, async (source, reference) => {
          fc.pre(reference.operations > 0);
          compare(await runExecutor(executor, source, { maxOperations: reference.operations }), reference);
          if (reference.operations === 1) return;
          await expectCode(executor.run(source, { maxOperations: reference.operations - 1 }), 'ERR_MAX_OPS_EXCEEDED');
          expect(executor.state).toBe('READY');
        }),
      ),
      { numRuns: NUM_RUNS / 2, includeErrorInReport: true },
    );
  });
}, 60_000);
