// What a run in a page gives, and what is left of it.

import { describe, expect, test } from 'vitest';

import { deferred, expectCode, gateTool, neverTool } from '../helpers.mjs';
import { atDeadline, make, withBrowser } from './helpers.mjs';

test('a run begins when its document is complete', async () => {
  await withBrowser({ warmTabs: 2 }, {}, async (executor) => {
    for (let i = 0; i < 40; i++) {
      const { output } = await executor.run('[document.readyState !== "loading", document.body?.tagName]');
      expect(output).toStrictEqual([true, 'BODY']);
    }
  });
});

/** Of a DOMPoint. */
const ORIGIN = { x: 0, y: 0, z: 0, w: 1 };
const PAIRS = [
  ['a', '1'],
  ['b', '2'],
];

describe('values', () => {
  test('are the last statement or the returned value of a program, awaited', async () => {
    await withBrowser({}, {}, async (executor) => {
      const outputs = [];
      for (const code of [
        '1 + 1',
        'const x: number = 5; x',
        'return document.title + "t"',
        'await Promise.resolve(3)',
        'Promise.resolve(4)',
        'if (true) { "inner" }',
        'enum Color { Red, Green }; Color.Green',
        'let y = 7',
        'const list = [1, 2]',
        'for (const n of [1, 2, 3]) n * 2',
        'const waits = new Promise(() => {})',
      ]) {
        outputs.push((await executor.run(code)).output);
      }
      expect(outputs).toStrictEqual([2, 5, 't', 3, 4, 'inner', 1, 7, [1, 2], 6, 'Promise { <state not shown> }']);
    });
  });

  const cyclic = { list: [1, , 3] };
  cyclic.self = cyclic;
  const shared = { n: 1 };
  const all = {
    map: new Map([[{ k: 1 }, new Set([1n, -(2n ** 80n)])]]),
    date: new Date(5),
    regexp: /a\/b/giu,
    numbers: [NaN, -0, Infinity, -Infinity, 1e300],
    lone: '\ud800 \u2028 "',
    none: undefined,
    bytes: new Uint8Array([1, 2, 255]),
    floats: new Float64Array([1.5]),
    view: new DataView(new Uint8Array([9]).buffer),
    buffer: new Uint8Array([7]).buffer,
    boxed: Object('text'),
    error: new RangeError('wrong', { cause: new Error('deeper') }),
    proto: JSON.parse('{"__proto__": {"x": 1}}'),
    cyclic,
    twice: [shared, shared],
    nothing: null,
  };

  test('cross both ways as clones, even if guests have patched the functions that clone', async () => {
    await withBrowser({}, { echo: (value) => value, later: async (value) => value }, async (executor) => {
      await executor.sendVariables({ all });
      const patch = `
        const patched = () => { throw new Error('patched'); };
        const all_ = [JSON, 'parse', JSON, 'stringify', Map.prototype, 'set', Map.prototype, 'get', Map.prototype, 'forEach',
          Promise.prototype, 'constructor', Promise.prototype, 'catch', Array.prototype, 'push', Array.prototype, 'toJSON',
          Array.prototype, Symbol.iterator, Object.prototype, 'toJSON', Reflect, 'apply', Function.prototype, 'call',
          Function.prototype, 'apply', Function.prototype, 'bind', String.prototype, 'slice', globalThis, 'XMLHttpRequest'];
        for (let i = 0; i < all_.length; i += 2) all_[i][all_[i + 1]] = patched;
        Object.defineProperty(Array.prototype, 0, { set() { throw new Error('setter'); }, configurable: true });`;
      for (const before of ['', patch]) {
        const { output } = await executor.run(`${before} const a = echo(all); const b = await later(a); return b;`);
        expect(output).toStrictEqual(all);
        expect(output.cyclic.self).toBe(output.cyclic);
        expect(output.twice[0]).toBe(output.twice[1]);
        expect(1 in output.cyclic.list).toBe(false);
        expect(Object.getPrototypeOf(output.error)).toBe(RangeError.prototype);
        expect(output.error.cause.message).toBe('deeper');
        expect(Object.keys(output.proto)).toStrictEqual(['__proto__']);
      }
    });
  });

  test('of failed calls cross, even if guests have patched what the page could use', async () => {
    const cause = Object.assign(new TypeError('why'), { code: 'E_WHY', status: 1 });
    const thrown = Object.assign(new AggregateError([cause, 'text'], 'all', { cause }), { data: { a: [1] } });
    const tools = {
      fail: () => {
        throw thrown;
      },
      later: () => Promise.reject(thrown),
    };
    await withBrowser({}, tools, async (executor) => {
      const code = `
        const thrown = () => { throw new Error('patched'); };
        const show = (e) => [e.name, e.message, e.code, e.status];
        const seen = (e) => [e instanceof AggregateError, Object.hasOwn(e, 'name'), show(e), show(e.cause), show(e.errors[0]), e.errors[1], e.errors.length, e.data];
        for (const key of ['cause', 'errors', 'status', 'data', 0, 3, 4]) {
          Object.defineProperty(Object.prototype, key, { set: thrown, get: () => undefined, configurable: true });
        }
        Array.prototype[Symbol.iterator] = Array.prototype.map = Array.prototype.push = Object.setPrototypeOf = thrown;
        globalThis.AggregateError.prototype.message = 5;
        const all = {};
        try { fail(); } catch (e) { all.sync = seen(e); }
        await later().catch((e) => { all.later = seen(e); });
        return JSON.stringify(all);`;
      const shown = ['TypeError', 'why', 'E_WHY', 1];
      const expected = [true, false, ['AggregateError', 'all', null, null], shown, shown, 'text', 2, { a: [1] }];
      const { output } = await executor.run(code);
      expect(JSON.parse(output)).toStrictEqual({ sync: expected, later: expected });
    });
  });

  test('may be nested to any depth', async () => {
    await withBrowser({}, {}, async (executor) => {
      const { output } = await executor.run('let deep = 1; for (let i = 0; i < 1e5; i++) deep = [deep]; deep');
      let depth = 0;
      for (let at = output; Array.isArray(at); at = at[0]) depth++;
      expect(depth).toBe(100_000);
    });
  });

  test.each([
    ['() => 1', '[Function (anonymous)]'],
    ['class A {}; A', '[class A]'],
    ['({ f() {} })', { f: '[Function: f]' }],
    ['[document.createElement("b"), 1]', ['<b></b>', 1]],
    ['async function* later() {}', undefined],
    ['return async function* later() {}', '[AsyncGeneratorFunction: later]'],
    ['Symbol("s")', 'Symbol(s)'],
    ['Object.assign(document.createElement("p"), { id: "x" })', '<p id="x"></p>'],
  ])('%s is returned as text', async (code, text) => {
    await withBrowser({}, {}, async (executor) => {
      expect((await executor.run(code)).output).toStrictEqual(text);
    });
  });

  test.each([
    ['new DOMRect(1, 2, 3, 4)', { x: 1, y: 2, width: 3, height: 4, top: 2, right: 4, bottom: 6, left: 1 }],
    ['[DOMQuad.fromRect()]', [{ p1: ORIGIN, p2: ORIGIN, p3: ORIGIN, p4: ORIGIN }]],
    ['new URL("https://a.b/c?d")', 'https://a.b/c?d'],
    ['location', 'https://sandbox.invalid/'],
    ['new Headers({ a: "1", b: "2" })', PAIRS],
    ['new URLSearchParams("a=1&b=2")', PAIRS],
    ['const form = new FormData(); form.append("a", "1"); form.append("b", "2"); form', PAIRS],
    ['document.body.classList.add("x", "y"); document.body.classList', ['x', 'y']],
  ])('objects of the browser are returned and sent as data: %s', async (code, data) => {
    await withBrowser({}, {}, async (executor) => {
      const calls = [];
      await executor.sendTools({ show: (value) => void calls.push(value) });
      const { output } = await executor.run(`const it = (0, eval)(${JSON.stringify(code)}); show(it); it`);
      expect([output, calls]).toStrictEqual([data, [data]]);
    });
  });

  test('lists of elements are returned and printed as texts of the elements', async () => {
    await withBrowser({}, {}, async (executor) => {
      const { output, logs } = await executor.run(`
        document.body.innerHTML = '<b></b><i></i>';
        const all = document.body.querySelectorAll('*');
        console.log(all, document.body.children.length, new DOMPoint(1, 2), new URL('https://a.b/'));
        return all;`);
      expect(output).toStrictEqual(['<b></b>', '<i></i>']);
      expect(logs).toBe('[ <b></b>, <i></i> ] 2 DOMPoint { x: 1, y: 2, z: 0, w: 1 } https://a.b/');
    });
  });

  test('data of browser objects is read without calling functions of guests', async () => {
    await withBrowser({}, {}, async (executor) => {
      const { output } = await executor.run(`
        const called = [];
        const spy = (name) => () => (called.push(name), 7);
        DOMRectReadOnly.prototype.toJSON = spy('toJSON');
        NodeList.prototype.item = spy('item');
        Headers.prototype.forEach = spy('forEach');
        Object.defineProperty(URL.prototype, 'href', { get: spy('href') });
        Object.defineProperty(NodeList.prototype, 'length', { get: spy('length') });
        Array.prototype[Symbol.iterator] = spy('iterator');
        const url = new URL('https://a.b/');
        class Fake { get [Symbol.toStringTag]() { return 'URL'; } }
        return [new DOMPoint(), document.querySelectorAll('body'), new Headers({ a: '1' }), url, new Fake(), called];`);
      expect(output).toStrictEqual([ORIGIN, ['<body></body>'], [['a', '1']], 'https://a.b/', {}, []]);
    });
  });

  test('are refused if they are too large, in the page and on their way to it', async () => {
    await withBrowser(
      { maxTransferBytes: 10_000 },
      { big: () => 'x'.repeat(20_000), take: () => 1 },
      async (executor) => {
        const error = await expectCode(executor.run('"x".repeat(10000)'), 'ERR_TRANSFER_LIMIT_EXCEEDED');
        expect(error.details).toStrictEqual({ maxTransferBytes: 10_000, value: 'output' });
        await expectCode(executor.run('Array(1e5).fill("x".repeat(1e6))'), 'ERR_TRANSFER_LIMIT_EXCEEDED');
        await expectCode(executor.sendVariables({ v: 'x'.repeat(20_000) }), 'ERR_TRANSFER_LIMIT_EXCEEDED');
        for (const code of ['big()', 'take("x".repeat(20000))']) {
          const { details } = await expectCode(executor.run(code), 'ERR_TOOL_PROXY_FAIL');
          expect(details).toMatchObject({ bridge: true, name: 'RangeError', code: 'ERR_TRANSFER_LIMIT_EXCEEDED' });
        }
      },
    );
  });
});

describe('state after a run', () => {
  test('P12 with isolation "run": nothing stays, and variables and tools are sent again', async () => {
    await withBrowser({}, { one: () => 1 }, async (executor) => {
      await executor.sendVariables({ data: { n: 1 } });
      await executor.run(`globalThis.left = 1; data.n = 2; var v = 1; Array.prototype.extra = 1;
        localStorage.setItem('k', 'v'); sessionStorage.setItem('k', 'v'); document.cookie = 'k=v';
        await new Promise((done) => { const open = indexedDB.open('db'); open.onsuccess = done; });
        await caches.open('c');`);
      const { output } = await executor.run(`[typeof left, data.n, typeof v, [].extra, localStorage.length,
        sessionStorage.length, document.cookie, (await indexedDB.databases()).length, await caches.keys(), one()]`);
      expect(output).toStrictEqual(['undefined', 1, 'undefined', undefined, 0, 0, '', 0, [], 1]);
    });
  });

  test('with isolation "session": timers stay and act in the current run', async () => {
    await withBrowser({ isolation: 'session' }, {}, async (executor) => {
      await executor.run('var isOn = false; setInterval(() => isOn && final_answer("of the timer"), 5); 1');
      const { output, is_final_answer: isFinal } = await executor.run('isOn = true; await new Promise(() => {})');
      expect([output, isFinal]).toStrictEqual(['of the timer', true]);
    });
  });

  test('with isolation "session": variables, functions and their values stay', async () => {
    await withBrowser({ isolation: 'session' }, {}, async (executor) => {
      await executor.run('let count = 0; const add = () => ++count; var list = [1]; class A { x = 1 }');
      expect((await executor.run('add(); count += 1; list.push(2); [count, list, new A().x]')).output).toStrictEqual([
        2,
        [1, 2],
        1,
      ]);
      expect((await executor.run('let count = 10; count')).output).toBe(10);
      await expectCode(
        executor.run('let early = 1; let list = [early, 2]; null.x; let late = 1'),
        'ERR_RUNTIME_EXCEPTION',
      );
      expect((await executor.run('[early, list, typeof late]')).output).toStrictEqual([1, [1, 2], 'undefined']);
      const error = await expectCode(executor.run('add = 1'), 'ERR_RUNTIME_EXCEPTION');
      expect(error.details).toMatchObject({ name: 'TypeError', message: 'Assignment to constant variable.' });
      await executor.sendVariables({ list: 'new' });
      expect((await executor.run('list')).output).toBe('new');
    });
  });

  test('with isolation "session": values sent before a program that the browser refuses stay', async () => {
    await withBrowser({ isolation: 'session' }, { one: () => 1 }, async (executor) => {
      await executor.sendVariables({ two: 2 });
      const error = await expectCode(executor.run('one(); /(?<a>x)(?<a>y)/'), 'ERR_VALIDATION_FAILED');
      expect(error.details.diagnostics).toStrictEqual([
        {
          rule: 'syntax_valid',
          severity: 'ERROR',
          message: 'Invalid regular expression: /(?<a>x)(?<a>y)/: Duplicate capture group name',
          location: { line: 1, column: 8 },
        },
      ]);
      expect((await executor.run('[one(), two]')).output).toStrictEqual([1, 2]);
    });
  });

  test('with isolation "session": changes to `eval`, promises and `toJSON` do not stay', async () => {
    await withBrowser({ isolation: 'session' }, {}, async (executor) => {
      const { output } = await executor.run(`globalThis.eval = () => { throw new Error('patched'); };
        Object.prototype.toJSON = () => 'patched';
        Object.defineProperty(Promise.prototype, 'constructor', { get() { throw new Error('patched'); } });
        1`);
      expect(output).toBe(1);
      const { artifacts } = await executor.run('saveArtifact("a.txt", "b"); getCanvas(2, 3); 2');
      expect(artifacts).toMatchObject([
        { mimeType: 'text/plain', givenName: 'a.txt' },
        { mimeType: 'image/png', width: 2, height: 3 },
      ]);
    });
  });

  test('with isolation "session": code that continues after its final answer does not stay', async () => {
    await withBrowser({ isolation: 'session' }, {}, async (executor) => {
      await executor.run('let kept = 1;');
      for (const loop of ['for (;;);', 'for (;;) await null;']) {
        const { output, is_final_answer: isFinal } = await executor.run(`try { final_answer(2) } catch {} ${loop}`);
        expect([output, isFinal, executor.state]).toStrictEqual([2, true, 'READY']);
        expect((await executor.run('kept')).output).toBe(1);
      }
    });
  });
});

test('`input` is the value passed to the run', async () => {
  await withBrowser({}, {}, async (executor) => {
    expect(
      (await executor.run('[input.a, input.m.get(1)]', { input: { a: 1, m: new Map([[1, 2]]) } })).output,
    ).toStrictEqual([1, 2]);
    expect((await executor.run('typeof input')).output).toBe('undefined');
    await expect(executor.run('1', { input: () => 1 })).rejects.toThrow(
      new TypeError('input[0] (function) cannot be cloned'),
    );
  });
});

describe('tools', () => {
  const tools = {
    add: async (a, b) => a + b,
    sub: (a, b) => a - b,
    soon: (x) => Promise.resolve(x),
    Deep: {
      Er: {
        who: () => 'me',
        fail: () => {
          throw Object.assign(new TypeError('bad'), { code: 'E_BAD' });
        },
      },
    },
  };

  test('asynchronous ones do not block the page while they wait, however fast earlier answers were', async () => {
    let answer;
    const waits = (n) => (n === 0 ? 0 : new Promise((resolve) => (answer = resolve)));
    await withBrowser({}, { wait: async (n) => waits(n), go: (n) => answer(n) }, async (executor) => {
      const { output } = await executor.run(`
        const found = [];
        for (let i = 0; i < 10; i++) found.push(await wait(0));
        for (let i = 1; i < 3; i++) {
          const pending = wait(i);
          go(i);
          found.push(await pending);
        }
        return found;`);
      expect(output).toStrictEqual([...Array(10).fill(0), 1, 2]);
    });
  });

  test('can be asynchronous in parallel, synchronous without await, and in namespaces', async () => {
    await withBrowser({}, tools, async (executor) => {
      const { output, stats } = await executor.run(`
        const many = await Promise.all(Array.from({ length: 100 }, (_, i) => add(i, 1)));
        const pending = add(1, 1);
        return [many.length, many[99], pending instanceof Promise, sub(5, 3), soon(1) instanceof Promise, await soon(2),
          Deep.Er.who(), Object.isFrozen(Deep), add.name, sub.length]`);
      expect(output).toStrictEqual([100, 100, true, 2, true, 2, 'me', true, 'add', 2]);
      expect(stats.toolCalls).toBe(105);
    });
  });

  test('are called in the order of the code, with arguments of any size and script', async () => {
    const order = [];
    const note = (x) => void order.push(x);
    const more = { later: async (x) => note(x), now: note, size: ({ length }) => length, echo: (x) => x };
    await withBrowser({}, more, async (executor) => {
      await executor.run(`
        for (let i = 0; i < 200; i += 4) { later(i); console.log(i); later(i + 1); now(i + 2); later(i + 3); }
        now(200)`);
      expect(order).toStrictEqual(Array.from({ length: 201 }, (_, i) => i));
      const { output } = await executor.run(
        `[size('x'.repeat(3e6)), size('中😀'.repeat(3e5)), echo('é中😀\\ud800"\\0')]`,
      );
      expect(output).toStrictEqual([3e6, 9e5, 'é中😀\ud800"\0']);
    });
  });

  test('may have any name that programs can write', async () => {
    const names = ['text', 'order', 'args', 'program', 'call', 'run'];
    const named = Object.fromEntries(names.map((name) => [name, () => name]));
    await withBrowser({}, named, async (executor) => {
      expect((await executor.run(`[${names.map((name) => `${name}()`)}]`)).output).toStrictEqual(names);
    });
  });

  test("have an unhandled failure with the tool's name and the cause", async () => {
    await withBrowser({}, tools, async (executor) => {
      const caught = await executor.run('try { Deep.Er.fail() } catch (e) { [e.name, e.message, e.code] }');
      expect(caught.output).toStrictEqual(['TypeError', 'bad', 'E_BAD']);
      const error = await expectCode(executor.run('let a;\n  Deep.Er.fail()'), 'ERR_TOOL_PROXY_FAIL');
      expect(error.message).toBe('Tool execution failed: TypeError: bad');
      expect(error.details).toMatchObject({ tool: 'Deep.Er.fail', name: 'TypeError', line: 2, column: 11 });
      expect(error.cause.code).toBe('E_BAD');
      const refused = await expectCode(executor.run('add({ x: [() => 1] })'), 'ERR_TOOL_PROXY_FAIL');
      expect(refused.details).toMatchObject({
        tool: 'add',
        bridge: true,
        message: 'arguments[0].x[0] (function) cannot be cloned',
      });
    });
  });

  test.each([
    ['sync(() => 1)', 'arguments[0] (function)', 1],
    ['sync({ f() {} })', 'arguments[0].f (function)', 1],
    ['sync(Symbol())', 'arguments[0] (symbol)', 1],
    ['sync(new WeakMap())', 'arguments[0] (WeakMap)', 1],
    ['await later([1, () => 1])', 'arguments[0][1] (function)', 7],
  ])('arguments that cannot be cloned have the place of the call: %s', async (code, what, column) => {
    await withBrowser({}, { sync: (x) => x, later: async (x) => x }, async (executor) => {
      const { details } = await expectCode(executor.run(`const a = 1;\n${code}`), 'ERR_TOOL_PROXY_FAIL');
      const { bridge, message, line, codeFrame } = details;
      expect([bridge, message, line, details.column]).toStrictEqual([true, `${what} cannot be cloned`, 2, column]);
      const error = `${' '.repeat(column)}^ TypeError: ${message}`;
      expect(codeFrame).toBe(`  |\n1 | const a = 1;\n2 | ${code}\n  |${error}`);
    });
  });

  test('end the run beyond the call limit, and wait beyond the concurrency', async () => {
    let now = 0;
    let most = 0;
    // Calls may reach the host one by one. None is answered before the page has made all of them.
    const areMade = deferred();
    const slow = async () => {
      most = Math.max(most, ++now);
      await areMade.promise;
      now--;
    };
    const options = { maxToolCalls: 20, maxConcurrentToolCalls: 3, onLog: () => areMade.resolve() };
    await withBrowser(options, { slow }, async (executor) => {
      await executor.run(`
        const calls = Array.from({ length: 20 }, () => slow());
        console.log('all are made');
        await Promise.all(calls);`);
      expect(most).toBe(3);
      const error = await expectCode(executor.run('for (;;) slow()'), 'ERR_TOOL_CALL_LIMIT_EXCEEDED');
      expect(error.message).toBe('Tool call limit exceeded (20)');
      expect(error.stats.toolCalls).toBe(20);
    });
  });

  // Each began within the answer to the one before: the host's stack ended, and with it the answers.
  test('answer ten thousand calls that wait for their turn and are answered at the same time', async () => {
    const { tool: take, open } = gateTool();
    const onToolCall = ({ name, args: [i] }) => (name === 'take' && i > 0 ? { result: i } : undefined);
    const options = { maxToolCalls: 20_000, maxConcurrentToolCalls: 1, onToolCall };
    await withBrowser(options, { take, open }, async (executor) => {
      const code = `
        const calls = Array.from({ length: 10_000 }, (_, i) => take(i));
        open(0);
        return await Promise.all(calls)`;
      expect((await executor.run(code)).output).toStrictEqual(Array.from({ length: 10_000 }, (_, i) => i));
    });
  });

  test('are called without anything on the global of the page or of frames', async () => {
    await withBrowser({}, {}, async (executor) => {
      const { output } = await executor.run(`
        const frame = document.createElement('iframe');
        document.body.append(frame);
        return [globalThis, frame.contentWindow].flatMap((realm) =>
          Reflect.ownKeys(realm).filter((key) => String(key).includes('smol')))`);
      expect(output).toStrictEqual([]);
    });
  });
});

test('final_answer ends the run; the first one wins, also from a timer', async () => {
  await withBrowser({}, {}, async (executor) => {
    const first = await executor.run('try { final_answer({ n: 1 }) } catch {} try { final_answer(2) } catch {} 3');
    expect(first).toMatchObject({ output: { n: 1 }, is_final_answer: true });
    const promised = await executor.run('final_answer(new Promise((done) => setTimeout(done, 5, "awaited")))');
    expect(promised).toMatchObject({ output: 'awaited', is_final_answer: true });
    const timed = await executor.run('setTimeout(() => final_answer("later"), 5); await new Promise(() => {})');
    expect(timed).toMatchObject({ output: 'later', is_final_answer: true });
  });
});

describe('the console', () => {
  test('prints as in Node.js', async () => {
    await withBrowser({}, {}, async (executor) => {
      const { logs, logEntries } = await executor.run(`
        console.log('%s is %d', 'x', 5, { a: [1, { b: new Map([[1, 2]]) }] });
        console.warn(new Set(['s'])); console.error('e'); console.debug(null, undefined, -0, 1n, Symbol('q'));
        console.group('g'); console.info('inside'); console.groupEnd(); console.count(); console.assert(false, 'no');
        class Point { constructor() { this.x = 1; } }
        console.log(new Point(), () => 1, document.createElement('b'));
        console.table([{ a: 1 }]);`);
      expect(logs.split('\n').slice(0, 9)).toStrictEqual([
        'x is 5 { a: [ 1, { b: [Map] } ] }',
        "Set(1) { 's' }",
        'e',
        'null undefined -0 1n Symbol(q)',
        'g',
        '  inside',
        'default: 1',
        'Assertion failed: no',
        'Point { x: 1 } [Function (anonymous)] <b></b>',
      ]);
      expect(logEntries.map(({ level }) => level)).toStrictEqual([
        'log',
        'warn',
        'error',
        'debug',
        'log',
        'info',
        'log',
        'warn',
        'log',
        'log',
      ]);
    });
  });

  test('shows stacks with places in the given code and no others', async () => {
    await withBrowser({}, {}, async (executor) => {
      const { logs, logEntries } = await executor.run(`type T = string;
function f(at: T) { console.trace(at); return new Error('made').stack; }
console.log(f('here'));
console.log('    at lunch (with agent 7)');`);
      const [trace, made, text] = logEntries.map(({ message }) => message.replace(/agent:\d+:/g, 'agent:N:'));
      expect(trace).toBe('Trace: here\n    at f (agent:N:2:29)\n    at agent:N:3:13');
      expect(made).toBe('Error: made\n    at f (agent:N:2:47)\n    at agent:N:3:13');
      expect(text).toBe('    at lunch (with agent 7)');
      expect(logs).toBe(logEntries.map(({ message: line }) => line).join('\n'));
    });
  });

  test('is cut at the limit, has only the selected levels, and streams', async () => {
    const seen = [];
    const options = {
      maxLogBytes: 1024,
      collectConsoleLevels: ['log', 'error'],
      onLog: ({ message }) => seen.push(message),
    };
    const { tool, called } = neverTool();
    await withBrowser(options, { never: tool }, async (executor) => {
      const controller = new AbortController();
      const { signal } = controller;
      const run = executor.run('console.log("first"); console.info("no"); await never()', { signal });
      run.catch(() => {});
      await called;
      expect(seen).toStrictEqual(['first']);
      controller.abort();
      expect((await expectCode(run, 'ERR_EXEC_TIMEOUT')).logs).toBe('first');
      const { logs } = await executor.run('for (let i = 0; i < 1e5; i++) console.log("x".repeat(99))');
      expect(logs.length).toBe(1024 + '...[TRUNCATED]'.length);
      expect(logs.endsWith('x...[TRUNCATED]')).toBe(true);
    });
  });

  // Node.js' own console warns the process of labels that are not there.
  test('reports missing labels in the log and does not warn the process', async () => {
    const warnings = [];
    const listen = (warning) => warnings.push(warning.message);
    process.on('warning', listen);
    try {
      await withBrowser({}, {}, async (executor) => {
        const { logEntries } = await executor.run(`
          console.time('a'); console.time('a'); console.timeEnd('b'); console.timeLog('c');
          console.count(); console.countReset(); console.countReset();`);
        expect(logEntries.map(({ level, message }) => `${level}: ${message}`)).toStrictEqual([
          "warn: Warning: Label 'a' already exists for console.time()",
          "warn: Warning: No such label 'b' for console.timeEnd()",
          "warn: Warning: No such label 'c' for console.timeLog()",
          'log: default: 1',
          "warn: Warning: Count for 'default' does not exist",
        ]);
      });
      await withBrowser({ collectConsoleLevels: ['log'] }, {}, async (executor) => {
        const { logs } = await executor.run('console.count(); console.countReset(); console.count()');
        expect(logs).toBe('default: 1\ndefault: 1');
      });
      await new Promise((resolve) => setImmediate(resolve));
      expect(warnings).toStrictEqual([]);
    } finally {
      process.removeListener('warning', listen);
    }
  });

  // What occurs again in a value is printed again: six lists of a hundred are a million million numbers.
  const PARTS = String.raw`(?:[\[\],\s]|Array|\.{3} of 100 items)+`;
  const LABEL = String.raw`(?:(?:\[Array\]|\.{3} of 100 items),)+\.{3} of 100 items`;
  test.each([
    ['console.log("%o", value)', String.raw`(?:${PARTS}|\[length\]: \d+)+`],
    ['console.dir(value, { depth: null })', PARTS],
    ['console.table(value)', String.raw`┌[─┬]+┐\n│ \(index\) │ 0 [^]+\.{3}\[TRUNCATED\]`],
    ['console.log("%d", value)', 'NaN'],
    ['console.count(value)', `${LABEL}: 1`],
    ['console.timeEnd(value)', String.raw`Warning: No such label '${LABEL}' for console\.timeEnd\(\)`],
    ['console.group(value)', PARTS],
  ])('limits the printed part of a large value: %s', async (call, text) => {
    await withBrowser({}, {}, async (executor) => {
      const run = `let value = 1; for (let i = 0; i < 6; i++) value = Array(100).fill(value); ${call}`;
      const { stats, logs } = await executor.run(run);
      expect(logs).toMatch(new RegExp(`^${text}$`));
      expect(stats.durationMs).toBeLessThan(5_000);
    });
  });

  test('keeps entries logged before a hang', async () => {
    await withBrowser({}, {}, async (executor) => {
      const error = await atDeadline(executor, 'console.log("began"); console.log("b"); for (;;);');
      expect(error.logs).toBe('began\nb');
      expect(executor.state).toBe('READY');
    });
  });
});

describe('failures', () => {
  /**
   * The hint of a failure. A page that does not answer within 100 ms causes none: on a busy machine it is asked again.
   */
  const hintOf = async (executor, code) => {
    let hint;
    for (let attempt = 0; attempt < 5 && hint === undefined; attempt++) {
      ({ hint } = (await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION')).details);
    }
    return hint;
  };

  test.each([
    ['throw new RangeError("r")', 'RangeError', 'r', 1, 7],
    ['let a = 1;\n  a.b.c', 'TypeError', "Cannot read properties of undefined (reading 'c')", 2, 7],
    ['type T = string;\nfunction f(x: T) {\n  throw new Error(x);\n}\nf("x")', 'Error', 'x', 3, 9],
    ['await null;\nmissing', 'ReferenceError', 'missing is not defined', 2, 1],
  ])('%j has its place in the given code', async (code, name, message, line, column) => {
    await withBrowser({}, {}, async (executor) => {
      const error = await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
      expect(error.details).toMatchObject({ name, message, line, column });
      const lines = error.details.codeFrame.split('\n');
      const at = lines.findIndex((text) => text.startsWith(`${line} | `));
      expect(lines.slice(at, at + 2)).toStrictEqual([
        `${line} | ${code.split('\n')[line - 1]}`,
        `  | ${' '.repeat(column - 1)}^ ${name === 'Error' ? '' : `${name}: `}${message}`,
      ]);
      expect(error.details.stack).toMatch(/^[^\n]+(?:\n {4}at (?:f \(agent:\d+:\d+:\d+\)|agent:\d+:\d+:\d+))+$/);
    });
  });

  test.each([
    ['throw new Error("outer", {\n  cause: new TypeError("inner") })', 'Its cause: TypeError: inner (line 2)'],
    ['throw new Error("outer", { cause: 5 })', 'Its cause: 5'],
    [
      'const fails = async (text) => { throw new Error(text); };\nawait Promise.any(["a", "b", "c", "d", "e"].map(fails))',
      'Its errors: a (line 1); b (line 1); c (line 1); d (line 1)',
    ],
    ['throw Object.assign(new Error("own"), { errors: [new RangeError("a")] })', 'Its errors: RangeError: a (line 1)'],
    ['throw new AggregateError([])', undefined],
    ['throw Object.defineProperty(new Error("x"), "errors", { get() { for (;;); } })', undefined],
    ['undefined.a; throw new Error("", { cause: 1 })', undefined],
  ])('the hint of %j lists the errors inside it', async (code, hint) => {
    await withBrowser({}, {}, async (executor) => {
      expect(await hintOf(executor, code)).toBe(hint);
    });
  });

  test.each([
    [
      'const a = 1;\n(async () => { null.x })();\n5',
      "TypeError: Cannot read properties of null (reading 'x') (line 2)",
    ],
    ['Promise.reject(new Error("u"))\nvoid 0', 'u (line 1)'],
    ['Promise.reject("text"); Promise.reject({ a: 1 }); 1', 'text', '{ a: 1 }'],
    [
      'const lost = Promise.reject(new RangeError("later")); lost.then(1); lost.then(2); 1',
      'RangeError: later (line 1)',
    ],
    ['fail(); await new Promise((done) => setTimeout(done, 20))', 'RangeError: of the tool'],
    [
      'fetch("https://example.com"); await fetch("https://example.com").catch(() => {})',
      'TypeError: Failed to fetch (line 1)',
    ],
    [
      'Promise.reject(1).catch(() => {}); dispatchEvent(new PromiseRejectionEvent("unhandledrejection", { promise: Promise.resolve() })); 1',
    ],
  ])('%j: unhandled rejections are lines of the log', async (code, ...texts) => {
    const fail = async () => {
      throw new RangeError('of the tool');
    };
    for (const isolation of ['run', 'session']) {
      await withBrowser({ isolation }, { fail }, async (executor) => {
        const { logEntries } = await executor.run(code);
        expect(logEntries.map(({ level, message }) => [level, message])).toStrictEqual(
          texts.map((text) => ['warn', `Unhandled promise rejection: ${text}`]),
        );
      });
    }
  });

  test('errors of timers and listeners are lines of the log', async () => {
    await withBrowser({ isolation: 'session' }, {}, async (executor) => {
      const { logs } =
        await executor.run(`const timer = (work) => new Promise((done) => setTimeout(() => { done(); work(); }));
        addEventListener('error', ({ message, error }) => console.log(message, error instanceof RangeError));
        await timer(() => { throw new RangeError('late'); });
        document.addEventListener('x', () => missing());
        document.dispatchEvent(new Event('x'));
        dispatchEvent(new ErrorEvent('error', { message: 'own', error: new Error('own') }));`);
      expect(logs.split('\n')).toStrictEqual([
        'Uncaught exception: RangeError: late (line 3)',
        'Uncaught RangeError: late true',
        'Uncaught exception: ReferenceError: missing is not defined (line 4)',
        'Uncaught ReferenceError: missing is not defined false',
        'own false',
      ]);
    });
  });

  const noNetwork = 'There is no network here: only `data:` and `blob:` URLs can be fetched.';
  test.each([
    ['document.createElment("p")', '`document` has no `createElment`. Did you mean `createElement`?'],
    ['window.document.createElment("p")', '`window.document` has no `createElment`. Did you mean `createElement`?'],
    ['localStorage.setitem("a", "b")', '`localStorage` has no `setitem`. Did you mean `setItem`?'],
    ['performance.nw()', '`performance` has no `nw`. Did you mean `now`?'],
    ['crypto.randomUuid()', '`crypto` has no `randomUuid`. Did you mean `randomUUID`?'],
    ['history.bak()', '`history` has no `bak`. Did you mean `back`?'],
    [
      'window.requestAnimationFram(() => 1)',
      '`window` has no `requestAnimationFram`. Did you mean `requestAnimationFrame`?',
    ],
    // What the guest has put there may do anything.
    ['Object.defineProperty(globalThis, "crypto", { get: () => ({ random: 1 }) }); crypto.randm()', undefined],
    ['const history = { bark() {} }; history.bak()', undefined],
    ['(() => { const history = { bark() {} }; history.bak(); })()', undefined],
    ['await fetch("https://api.example.com/x")', noNetwork],
    ['await import("https://cdn.example/d3")', noNetwork],
  ])('%s has a hint that names what the page has', async (code, hint) => {
    await withBrowser({}, {}, async (executor) => {
      expect(await hintOf(executor, code)).toBe(hint);
    });
  });

  test('a failed request has no hint if there is a network', async () => {
    await withBrowser(
      { network: { allow: ['https://api.example.com'], onRequest: () => false } },
      {},
      async (executor) => {
        const failed = executor.run('await fetch("https://api.example.com/x")');
        expect((await expectCode(failed, 'ERR_RUNTIME_EXCEPTION')).details.hint).toBe(undefined);
      },
    );
  });

  test('errors after a document was rewritten are logged too', async () => {
    for (const isolation of ['run', 'session']) {
      await withBrowser({ isolation }, {}, async (executor) => {
        for (const write of ['document.write("<h1>Report</h1>")', 'document.open()', '']) {
          const { logs } =
            await executor.run(`const timer = (work) => new Promise((done) => setTimeout(() => { done(); work(); }));
            ${write};
            Promise.reject(new Error('lost'));
            await timer(() => { throw new RangeError('late'); });
            1`);
          expect(logs.split('\n').sort()).toStrictEqual([
            'Uncaught exception: RangeError: late (line 4)',
            'Unhandled promise rejection: lost (line 3)',
          ]);
        }
      });
    }
  });

  test('the failure of the run is not logged, but earlier unhandled errors are', async () => {
    await withBrowser({}, {}, async (executor) => {
      const code =
        'const failed = Promise.reject(new Error("it"));\nfailed.then(1);\nPromise.reject(new Error("other"));\nawait failed';
      const error = await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
      expect([error.details.message, error.logs]).toStrictEqual(['it', 'Unhandled promise rejection: other (line 3)']);
    });
  });

  test('endless log lines are cut at the limit', async () => {
    await withBrowser({ maxLogBytes: 1_024 }, {}, async (executor) => {
      const { logs } = await executor.run(
        'for (let i = 0; i < 3_000; i++) Promise.reject(new Error("x".repeat(2_000))); 1',
      );
      expect(logs).toBe(`Unhandled promise rejection: ${'x'.repeat(995)}...[TRUNCATED]`);
    });
  });

  test('a thrown value that is not an error has no name', async () => {
    await withBrowser({}, {}, async (executor) => {
      const error = await expectCode(executor.run('throw { a: 1 }'), 'ERR_RUNTIME_EXCEPTION');
      expect(error.details).toMatchObject({ name: null, message: '{ a: 1 }' });
    });
  });

  test.each([
    ['', 'code_non_empty', undefined],
    ['const = 1;', 'syntax_valid', { line: 1, column: 7 }],
    ['ok();\nlet x; let x;', 'syntax_valid', { line: 2, column: 12 }],
    ['@a class B {}', 'syntax_valid', { line: 1, column: 1 }],
  ])('%j is refused before it runs', async (code, rule, location) => {
    await withBrowser({}, {}, async (executor) => {
      const { details } = await expectCode(executor.run(code), 'ERR_VALIDATION_FAILED');
      expect(details.diagnostics).toMatchObject([{ rule, severity: 'ERROR', ...(location && { location }) }]);
    });
  });

  test('forbidden patterns of the native executor are allowed', async () => {
    await withBrowser({}, {}, async (executor) => {
      const { output } = await executor.run(
        '[eval("1+1"), new Function("return 2")(), typeof process, typeof fetch, /\\p{L}/u.test("x"), typeof Worker]',
      );
      expect(output).toStrictEqual([2, 2, 'undefined', 'function', true, 'function']);
    });
  });

  test('dialogs, popups, downloads and service workers return nothing and block nothing', async () => {
    await withBrowser({}, {}, async (executor) => {
      const { output } = await executor.run(`
        const a = Object.assign(document.createElement('a'), { href: 'data:text/plain,x', download: 'x.txt' });
        a.click();
        return [alert('x'), confirm('x'), prompt('x'), open('about:blank'), print(),
          await navigator.serviceWorker.register('/sw.js').then(() => 'registered', (error) => error.name)]`);
      expect(output).toStrictEqual([undefined, false, null, null, undefined, 'SecurityError']);
    });
  });

  // Where the sandbox of a document refuses forms, none of it happens, and nobody is told.
  test('forms are validated, call their listeners, close dialogs and are sent nowhere', async () => {
    await withBrowser({}, {}, async (executor) => {
      const { output } = await executor.run(`
        document.body.innerHTML =
          '<form id="form" action="https://example.com/"><input name="a" value="1" required><button>go</button></form>' +
          '<dialog id="dialog" open><form method="dialog"><button value="ok">ok</button></form></dialog>';
        const seen = [];
        addEventListener('invalid', ({ target }) => seen.push(['invalid', target.name]), true);
        addEventListener('securitypolicyviolation', ({ violatedDirective }) => seen.push(violatedDirective));
        form.addEventListener('submit', (event) => {
          seen.push(...new FormData(event.target));
          if (seen.length === 1) event.preventDefault();
        });
        form.querySelector('button').click();
        form.requestSubmit();
        form.a.value = '';
        form.requestSubmit();
        dialog.querySelector('button').click();
        while (!seen.includes('form-action')) await new Promise((done) => setTimeout(done));
        return [seen, dialog.open, dialog.returnValue, location.href];`);
      expect(output).toStrictEqual([
        [['a', '1'], ['a', '1'], ['invalid', 'a'], 'form-action'],
        false,
        'ok',
        'https://sandbox.invalid/',
      ]);
    });
  });

  test('frames have no dialogs either, whatever they may run', async () => {
    await withBrowser({}, {}, async (executor) => {
      const { output, stats } = await executor.run(`
        const found = [];
        for (const facts of [{}, { srcdoc: '<p>' }, { sandbox: 'allow-modals allow-same-origin' }]) {
          const frame = Object.assign(document.createElement('iframe'), facts);
          document.body.append(frame);
          for (let time = 0; time < 2; time++) {
            const { alert, confirm, print, prompt } = frame.contentWindow;
            // More than there may be of what asks the host.
            for (let i = 0; i < 500; i++) alert();
            found.push([alert('x'), confirm('x'), print(), prompt('x'), prompt.call(window, 'x')]);
            if (time === 0 && 'srcdoc' in facts) await new Promise((done) => { frame.onload = done; });
          }
        }
        return found;`);
      expect(output).toStrictEqual(Array(6).fill([undefined, false, undefined, null, null]));
      expect(stats.toolCalls).toBe(0);
    });
  });

  test('workers and secure contexts are available', async () => {
    await withBrowser({}, {}, async (executor) => {
      const { output } = await executor.run(`
        const worker = new Worker(URL.createObjectURL(new Blob(['onmessage = ({ data }) => postMessage(data * 2)'])));
        const doubled = new Promise((done) => { worker.onmessage = ({ data }) => done(data); });
        worker.postMessage(21);
        return [isSecureContext, typeof crypto.subtle, await doubled];`);
      expect(output).toStrictEqual([true, 'object', 42]);
    });
  });
});

test('frames are drawn, so animations and observers work', async () => {
  const code = `
    const box = document.createElement('div');
    box.style.cssText = 'width: 50px; height: 50px';
    document.body.append(box);
    for (let count = 0; count < 3; count++) await new Promise(requestAnimationFrame);
    await box.animate([{ opacity: 0, translate: 0 }, { opacity: 1, translate: '50px' }], 50).finished;
    const isSeen = await new Promise((seen) => new IntersectionObserver(([{ isIntersecting }]) => seen(isIntersecting)).observe(box));
    const width = await new Promise((seen) => new ResizeObserver(([{ contentRect }]) => seen(contentRect.width)).observe(box));
    const source = 'requestAnimationFrame(() => postMessage(new OffscreenCanvas(2, 2).getContext("webgl") !== null))';
    const worker = new Worker(URL.createObjectURL(new Blob([source])));
    return [isSeen, width, await new Promise((seen) => (worker.onmessage = ({ data }) => seen(data)))];`;
  await withBrowser({}, {}, async (executor) =>
    expect((await executor.run(code)).output).toStrictEqual([true, 50, true]),
  );
});

describe('control from outside', () => {
  test('an abort ends a run, also in the queue', async () => {
    const gate = gateTool();
    await withBrowser({ runConcurrency: 'queue', maxQueuedRuns: 2 }, { gate: gate.tool }, async (executor) => {
      const first = executor.run('await gate()');
      const controller = new AbortController();
      const queued = executor.run('2', { signal: controller.signal });
      await gate.called;
      controller.abort(new Error('enough'));
      const error = await expectCode(queued, 'ERR_EXEC_TIMEOUT');
      expect(error.details).toMatchObject({ aborted: true, reason: 'enough' });
      expect(error.stats).toBeUndefined();
      gate.open('done');
      expect((await first).output).toBe('done');
      const other = new AbortController();
      const { tool, called } = neverTool();
      await executor.sendTools({ never: tool });
      const running = executor.run('await never()', { signal: other.signal });
      await called;
      other.abort();
      const ended = await expectCode(running, 'ERR_EXEC_TIMEOUT');
      expect(ended.details).toMatchObject({ aborted: true, reason: 'This operation was aborted' });
      expect(ended.stats.toolCalls).toBe(1);
      expect(executor.state).toBe('READY');
    });
  });

  test('a cleanup during a run ends it, and the executor can be used again', async () => {
    const { tool, called } = neverTool();
    const executor = make();
    await executor.init();
    await executor.sendTools({ never: tool });
    const run = executor.run('await never()');
    run.catch(() => {});
    await called;
    await executor.cleanup();
    expect(executor.state).toBe('DEAD');
    await expectCode(run, 'ERR_INVALID_STATE');
    await executor.init();
    expect((await executor.run('typeof never')).output).toBe('undefined');
    await executor.cleanup();
  });

  test('eight executors work at the same time although one of them hangs', async () => {
    const executors = Array.from({ length: 8 }, () => make());
    await Promise.all(executors.map((executor) => executor.init()));
    const hanging = executors[0].run('for (;;);', { timeoutMs: 3_000 });
    hanging.catch(() => {});
    const outputs = await Promise.all(executors.slice(1).map((executor, index) => executor.run(`${index} + 1`)));
    expect(outputs.map(({ output }) => output)).toStrictEqual([1, 2, 3, 4, 5, 6, 7]);
    await expectCode(hanging, 'ERR_EXEC_TIMEOUT');
    await Promise.all(executors.map((executor) => executor.cleanup()));
  });
});
