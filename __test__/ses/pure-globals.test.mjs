// Globals that are not the language's: they do what those of Node.js do.

import { inspect } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { expectCode, withExecutor } from '../helpers.mjs';
import fc from '../fast-check.mjs';

/** What `code`, an expression, is here: values, and the names of errors. */
const here = (code) => {
  const caught = (call) => {
    try {
      return call();
    } catch (error) {
      return `throws ${error.name}`;
    }
  };
  return new Function('caught', `return ${code}`)(caught);
};
const CAUGHT = 'const caught = (call) => { try { return call(); } catch (error) { return `throws ${error.name}`; } };';

let executor;
beforeAll(async () => {
  executor = new SESExecutor({ maxOperations: 1e7 });
  await executor.init();
  await executor.run(CAUGHT);
});
afterAll(() => executor.cleanup());

const there = async (code) => (await executor.run(`return ${code}`)).output;

/** Each is the same here and there. */
const SAME = {
  'structuredClone: plain values': `(() => { const o = { a: [1, , 3], d: new Date(5), m: new Map([[{ k: 1 }, new Set([2n])]]), r: /x/gi, e: new RangeError('m', { cause: { c: 1 } }), u: undefined, n: -0 };
    o.self = o; const c = structuredClone(o);
    return [c !== o, c.self === c, c.a, 1 in c.a, c.d.getTime(), [...c.m][0], String(c.r), c.e instanceof RangeError, c.e.message, c.e.cause, 'u' in c, Object.is(c.n, -0)]; })()`,
  'structuredClone: shared parts, classes, getters': `(() => { class A { x = 1; get y() { return 2; } } const s = [1]; const c = structuredClone({ p: s, q: s, a: new A(), get g() { return 3; } });
    return [c.p === c.q, c.a, c.a instanceof A, Object.getOwnPropertyDescriptor(c, 'g').value]; })()`,
  'structuredClone: a value that cannot be cloned': `[() => 1, Symbol('s'), { f() {} }, new WeakMap(), Promise.resolve()].map((v) => caught(() => structuredClone(v)))`,
  'structuredClone: a getter that throws': `caught(() => structuredClone({ get x() { throw new RangeError('mine'); } }))`,
  'structuredClone: typed arrays': `(() => { const b = new ArrayBuffer(8); const v = { a: new Uint8Array(b, 2, 3), d: new DataView(b), b }; v.a[0] = 7; const c = structuredClone(v);
    return [c.a.buffer === c.b, c.d.buffer === c.b, c.a.byteOffset, c.a.length, c.d.getUint8(2), v.b !== c.b]; })()`,
  'structuredClone: transfer': `(() => { const b = new Uint8Array([1, 2, 3]).buffer; const c = structuredClone({ b }, { transfer: [b] }); return [b.byteLength, c.b.byteLength, new Uint8Array(c.b)[2]]; })()`,
  'structuredClone: arguments': `[caught(() => structuredClone()), structuredClone(undefined), structuredClone(1, null), structuredClone(1, {})]`,
  atob: `['', 'YQ==', 'YQ', ' Y W\\tJ\\nj ', '/+8=', 'YR==', 'AA==', null].map((v) => atob(v))`,
  'atob: refused': `['YQ=', 'Y', '=', '====', 'Y===', 'YQ==YQ', 'Y-Q_', 'é'].map((v) => caught(() => atob(v)))`,
  btoa: `['', 'a', 'ab', 'abc', '\\0\\xff', 5, null].map((v) => btoa(v))`,
  'btoa: refused': `[caught(() => btoa('\\u0100')), caught(() => btoa()), caught(() => atob())]`,
  TextEncoder: `(() => { const e = new TextEncoder(); return ['', 'aé€😀', '\\ud800x\\udc00', undefined].map((v) => [...e.encode(v)]).concat([e.encoding], [[...e.encode()]]); })()`,
  'TextEncoder: encodeInto': `(() => { const e = new TextEncoder(); const b = new Uint8Array(6); const r = e.encodeInto('a😀é€', b.subarray(1)); return [r, [...b], caught(() => e.encodeInto('a', [1]))]; })()`,
  'TextDecoder: labels': `['utf8', 'UTF-8', ' latin1 ', 'ascii', 'utf-16', 'utf-16be', 'shift_jis', 'gbk', 'windows-1252', 'koi8-r'].map((l) => new TextDecoder(l).encoding).concat(['x', 'replacement', ''].map((l) => caught(() => new TextDecoder(l))))`,
  'TextDecoder: text': `[[], [97], [0xef, 0xbb, 0xbf, 97], [0xf0, 0x9f, 0x98, 0x80], [0xff, 97], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]].map((b) => new TextDecoder().decode(new Uint8Array(b)))`,
  'TextDecoder: fatal': `[[97], [0xff], [0xe2, 0x82]].map((b) => caught(() => new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(b))))`,
  'TextDecoder: byte order mark': `[new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array([0xef, 0xbb, 0xbf, 97])), new TextDecoder('utf-16le').decode(new Uint8Array([0xff, 0xfe, 97, 0])), new TextDecoder('utf-16le', { ignoreBOM: true }).decode(new Uint8Array([0xff, 0xfe, 97, 0]))]`,
  'TextDecoder: other encodings': `[new TextDecoder('shift_jis').decode(new Uint8Array([0x82, 0xa0])), new TextDecoder('utf-16be').decode(new Uint8Array([0, 97, 0xd8, 0]))]`,
  'TextDecoder: views and buffers': `(() => { const b = new Uint8Array([97, 98, 99, 100]); return [b.buffer, b.subarray(1, 3), new DataView(b.buffer, 2), new Uint16Array(b.buffer)].map((v) => new TextDecoder().decode(v)).concat(new TextDecoder().decode(), caught(() => new TextDecoder().decode('a'))); })()`,
  'TextDecoder: in parts': `(() => { const d = new TextDecoder(); const parts = [[0xef, 0xbb], [0xbf, 0xe2], [0x82], [0xac, 0xf0, 0x9f], [0x98, 0x80], [0xc3]]; return [parts.map((p) => d.decode(new Uint8Array(p), { stream: true })), d.decode(), d.decode(new Uint8Array([97]))]; })()`,
  'TextDecoder: in parts of UTF-16': `(() => { const d = new TextDecoder('utf-16le'); return [[0x3d], [0xd8, 0], [0xde, 97], [0]].map((p) => d.decode(new Uint8Array(p), { stream: true })).concat(d.decode()); })()`,
  'TextDecoder: properties': `(() => { const d = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }); return [d.encoding, d.fatal, d.ignoreBOM, Object.prototype.toString.call(d)]; })()`,
  'URL: parts': `(() => { const u = new URL('HTTPS://us%20er:pä@EXAMPLE.com:8080/a/../b c?q=1&q=ä#fr ag'); return ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'].map((k) => u[k]).concat(String(u), JSON.stringify({ u })); })()`,
  'URL: relative, special and opaque': `[['../x?y#z', 'https://a.b/c/d/e'], ['//h/p', 'http://x'], ['mailto:a@b'], ['data:text/plain,hi'], ['file:///C:/a/../b'], ['http://[::1]:80/'], ['http://0x7f.1'], ['http://ñ.com'], ['?q', 'https://a/b?c#d']].map((a) => new URL(...a).href)`,
  'URL: refused': `[['x'], [''], ['http://'], ['//x'], ['x', 'mailto:y'], ['http://a b'], ['http://a:99999']].map((a) => caught(() => new URL(...a))).concat(caught(() => new URL()), URL.canParse('x'), URL.canParse('x', 'https://a'))`,
  'URL: changes': `(() => { const u = new URL('https://a.b/c?d#e'); u.pathname = '/x y'; u.search = 'k=v w'; u.hash = ''; u.port = '81'; u.host = 'h.i:9'; u.hostname = 'j'; u.username = 'me'; u.password = 'p:w'; u.protocol = 'http'; u.protocol = 'mailto'; u.port = 'x'; caught(() => { u.href = 'nonsense'; }); return u.href; })()`,
  'URL: parameters are live': `(() => { const u = new URL('https://a/?x=1&y=2&x=3'); const p = u.searchParams; p.append('z', 'ä b'); p.delete('y'); p.set('x', '9'); const first = u.href; u.search = '?new=1'; const second = [...p]; u.href = 'https://b/?c'; return [first, second, p.toString(), u.searchParams === p]; })()`,
  'URL: classes': `(() => { class My extends URL { get host() { return 'mine'; } } const u = new My('https://a/'); return [u.host, u.href, u instanceof URL, Object.prototype.toString.call(u), Object.keys(u)]; })()`,
  'URLSearchParams: made of': `[new URLSearchParams(), new URLSearchParams('?a=1&b=%20+&c'), new URLSearchParams({ a: 1, b: [2, 3] }), new URLSearchParams([['a', 1], ['a', 2]]), new URLSearchParams(new Map([['m', 'n']])), new URLSearchParams(new URLSearchParams('q=r'))].map(String)`,
  'URLSearchParams: refused': `[[['a']], [[1, 2, 3]], [1], 5n].map((v) => caught(() => new URLSearchParams(v).toString()))`,
  'URLSearchParams: methods': `(() => { const p = new URLSearchParams('b=2&a=1&b=3&c='); const seen = []; p.forEach((v, k, all) => seen.push([v, k, all === p])); p.append('a', '4'); const before = [p.get('b'), p.getAll('b'), p.get('x'), p.has('c'), p.has('b', '3'), p.has('b', '9'), p.size, [...p.keys()], [...p.values()], [...p.entries()]];
    p.sort(); const sorted = String(p); p.delete('b', '2'); p.set('c', 'é&='); p.set('n', 'new'); return [seen, before, sorted, String(p), [...p]]; })()`,
};

describe('behave as those of Node.js', () => {
  test.each(Object.entries(SAME))('%s', async (_, code) => {
    expect(await there(code)).toStrictEqual(here(code));
  });

  test.each([
    "new URL('https://u:p@h:1/p?a=1&a=2#f')",
    "new URLSearchParams('a=1&b=2')",
    "({ url: new URL('https://a/') })",
  ])('the console prints %s', async (code) => {
    const { logs } = await executor.run(`console.log(${code})`);
    expect(logs).toBe(inspect(here(code)));
  });

  test('for any bytes, any string and any URL', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    const href = fc.oneof(fc.webUrl({ withQueryParameters: true, withFragments: true }), text);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), text, href, async (bytes, string, url) => {
        const code = `(() => { const [bytes, string, url] = given; return [
          new TextDecoder().decode(bytes), new TextDecoder('utf-16le').decode(bytes),
          new TextEncoder().encode(string), caught(() => btoa(string)), caught(() => atob(string)), caught(() => new URL(url).href),
          [...new URLSearchParams(string)], new URLSearchParams([[string, string]]).toString()]; })()`;
        await executor.sendVariables({ given: [bytes, string, url] });
        const expected = new Function('given', 'caught', `return ${code}`)([bytes, string, url], (call) => {
          try {
            return call();
          } catch (error) {
            return `throws ${error.name}`;
          }
        });
        expect(await there(code)).toStrictEqual(expected);
      }),
      { numRuns: 150 },
    );
  });
});

// Where Node.js 20 is not what the standards say.
describe('behave as the standards say', () => {
  test.each([
    ['Latin-1 is windows-1252', "new TextDecoder('latin1').decode(new Uint8Array([0x80, 0xe9]))", '€é'],
    ['null becomes a string', 'new URLSearchParams(null).toString()', 'null='],
    [
      'a value that is not transferable',
      'caught(() => structuredClone(1, { transfer: [{}] }))',
      'throws DataCloneError',
    ],
    [
      'a buffer that was transferred already',
      'caught(() => { const b = new ArrayBuffer(1); structuredClone(b, { transfer: [b] }); structuredClone(1, { transfer: [b] }); })',
      'throws DataCloneError',
    ],
    [
      'a buffer twice',
      'caught(() => { const b = new ArrayBuffer(1); structuredClone(b, { transfer: [b, b] }); })',
      'throws DataCloneError',
    ],
    [
      'a copy of a buffer without enough memory',
      `caught(() => { const kept = []; for (;;) kept.push(structuredClone(new Uint8Array(1e6))); })`,
      'throws RangeError',
    ],
    [
      'as it says',
      `(() => { const kept = []; try { for (;;) kept.push(structuredClone([new Uint8Array(1e6)])); } catch (error) { return error.message; } })()`,
      'Array buffer allocation failed',
    ],
  ])('%s', async (_, code, expected) => {
    expect(await there(code)).toBe(expected);
  });
});

describe('queueMicrotask', () => {
  test('runs its callbacks before other work, in order', async () => {
    const code = `const seen = []; queueMicrotask(() => seen.push(1)); Promise.resolve().then(() => seen.push(2)); seen.push(0);
      queueMicrotask((...args) => seen.push(args.length)); await null; await null; return seen;`;
    expect((await executor.run(code)).output).toStrictEqual([0, 1, 2, 0]);
  });

  test('turns an error of the callback into a warning', async () => {
    const { logs } = await executor.run('queueMicrotask(() => { throw new RangeError("late"); }); await null; 1');
    expect(logs).toBe('Unhandled promise rejection: RangeError: late (line 1)');
    expect(await there('caught(() => queueMicrotask(5))')).toBe('throws TypeError');
  });
});

describe('the limits of pure globals', () => {
  test('structuredClone beyond maxTransferBytes throws, and the run continues', async () => {
    await withExecutor({ maxTransferBytes: 1 << 20 }, {}, async (small) => {
      const { output } = await small.run(`
        try { structuredClone('x'.repeat(2 ** 21)); } catch (error) { return [error.name, error.message]; }`);
      expect(output).toStrictEqual(['RangeError', 'structuredClone: the value takes more than 1048576 bytes']);
    });
  });

  test('memory outside the heap counts towards the limit', async () => {
    await withExecutor({ memoryLimitMb: 16 }, {}, async (small) => {
      for (const code of [
        `const bytes = new Uint8Array(7 * 2 ** 20).fill(0xff); new TextDecoder('gbk').decode(bytes)`,
        `new TextEncoder().encode('é'.repeat(9 * 2 ** 20))`,
        `btoa('a'.repeat(12 * 2 ** 20))`,
        `new URLSearchParams('a'.repeat(12 * 2 ** 20))`,
      ]) {
        const error = await expectCode(small.run(code), 'ERR_RUNTIME_EXCEPTION');
        expect(error.details.name).toBe('RangeError');
      }
      expect((await small.run('1 + 1')).output).toBe(2);
    });
  });

  // V8 collects for what it allocates itself, and knows of no other limit than its own.
  test('memory that nothing references is released', async () => {
    const bytes = async (/** @type {number} */ length) => new Uint8Array(length);
    await withExecutor({ memoryLimitMb: 32 }, { bytes }, async (small) => {
      for (const [part, length] of [
        ['new TextEncoder().encode(text)', 4_000_000],
        ['btoa(text)', 5_333_336],
        ['atob(text)', 3_000_000],
        ['await bytes(text.length)', 4_000_000],
        ['structuredClone(new Uint8Array(text.length))', 4_000_000],
      ]) {
        const code = `{ const text = 'abcd'.repeat(1e6); let n = 0; for (let i = 0; i < 50; i++) n += (${part}).length; n }`;
        expect((await small.run(code)).output, part).toBe(50 * length);
      }
    });
  });

  test('a URL has at most a million characters', async () => {
    const code = 'new URL("https://a/" + "x".repeat(2 ** 20))';
    const error = await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
    expect(error.message).toBe('Runtime exception: RangeError: URL: the input has more than 1048576 characters');
  });
});

describe('in an output a URL becomes its string', () => {
  const HREF = 'https://a/b?c=1';
  test.each([
    [`new URL('${HREF}')`, HREF],
    [
      "({ link: new URL('https://a/b'), q: new URLSearchParams('a=1&b=x y') })",
      { link: 'https://a/b', q: 'a=1&b=x+y' },
    ],
    ['[new URLSearchParams({ a: 1 }), new URLSearchParams()]', ['a=1', '']],
    [`new Map([['u', [new URL('${HREF}')]]])`, new Map([['u', [HREF]]])],
    [`new Set([new URL('${HREF}')])`, new Set([HREF])],
    [`final_answer({ u: new URL('${HREF}'), f: () => 1 })`, { u: HREF, f: '[Function: f]' }],
    [`const u = new URL('${HREF}'); u.search = ''; ({ a: u, b: u })`, { a: 'https://a/b', b: 'https://a/b' }],
    [`const o = { u: new URL('${HREF}') }; o.self = o; [o, o.self === o, new Date(0), /x/g]`, undefined],
    [
      `class Link { constructor() { this.url = new URL('${HREF}'); } get host() { return 1; } } new Link()`,
      { url: HREF },
    ],
    [
      "new URL('https://a/'); ({ n: 1, at: new Date(0), p: new Uint8Array(2) })",
      { n: 1, at: new Date(0), p: new Uint8Array(2) },
    ],
  ])('%s', async (code, expected) => {
    await withExecutor({}, {}, async (own) => {
      const { output } = await own.run(code);
      if (expected !== undefined) expect(output).toStrictEqual(expected);
      else
        expect([output[0].u, output[0].self === output[0], output.slice(1)]).toStrictEqual([
          HREF,
          true,
          [true, new Date(0), /x/g],
        ]);
    });
  });

  test('also in a value of an earlier run, and getters run once', async () => {
    await withExecutor({}, {}, async (own) => {
      await own.run(`let asked = 0; const kept = { url: new URL('${HREF}'), get other() { asked++; return 1; } }; 0`);
      expect((await own.run('[kept, asked]')).output).toStrictEqual([{ url: HREF, other: 1 }, 0]);
      expect((await own.run('[asked]')).output).toStrictEqual([1]);
    });
  });

  test('a large value is complete', async () => {
    await withExecutor({}, {}, async (own) => {
      const { output } = await own.run(`[Array.from({ length: 20_000 }, () => ({})), new URL('${HREF}')]`);
      expect([output[0].length, output[1]]).toStrictEqual([20_000, HREF]);
    });
  });
});

// Structured clone takes a URL for an empty object.
describe('in arguments of tools a URL becomes its string', () => {
  const HREF = 'https://a/b?c=1';
  const withGiven = async (code) => {
    const given = [];
    const tools = {
      take: (...args) => void given.push(args),
      takeLater: async (...args) => void given.push(args),
    };
    await withExecutor({}, tools, (own) => own.run(code));
    return given;
  };

  test.each([
    [`take(new URL('${HREF}'))`, [HREF]],
    [`await takeLater(new URL('${HREF}'), 5)`, [HREF, 5]],
    [`take({ url: new URL('${HREF}'), q: new URLSearchParams('a=1&b=x y') })`, [{ url: HREF, q: 'a=1&b=x+y' }]],
    [
      `take([1, , new URL('${HREF}')], new Map([['u', new Set([new URL('${HREF}')])]]))`,
      [[1, , HREF], new Map([['u', new Set([HREF])]])],
    ],
    [
      `new URL('${HREF}'); take({ n: 1, at: new Date(0), p: new Uint8Array(2) })`,
      [{ n: 1, at: new Date(0), p: new Uint8Array(2) }],
    ],
    [
      `let asked = 0; take({ u: new URL('${HREF}'), at: new Date(0), get n() { return ++asked; } })`,
      [{ u: HREF, at: new Date(0), n: 1 }],
    ],
    [
      `class Link { url = new URL('${HREF}'); #hidden = 1; get host() { return 1; } } take(new Link())`,
      [{ url: HREF }],
    ],
  ])('%s', async (code, expected) => {
    expect(await withGiven(code)).toStrictEqual([expected]);
  });

  test('shared references and cycles are kept', async () => {
    const code = `const o = { u: new URL('${HREF}') }; o.self = o; take(o, [o])`;
    const [[o, [same]]] = await withGiven(code);
    expect([o.u, o.self === o, same === o]).toStrictEqual([HREF, true, true]);
  });

  test('a value that cannot be cloned is refused with its path', async () => {
    await withExecutor({}, { take: () => 1 }, async (own) => {
      const error = await expectCode(own.run(`take(new URL('${HREF}'), { f: () => 1 })`), 'ERR_TOOL_PROXY_FAIL');
      expect(error.details.message).toBe('take: argument [1].f cannot cross to the host: () => 1 could not be cloned.');
    });
  });
});

describe('guests cannot misuse pure globals', () => {
  test('they are frozen and open no way to the host', async () => {
    const names = [
      'structuredClone',
      'queueMicrotask',
      'atob',
      'btoa',
      'TextEncoder',
      'TextDecoder',
      'URL',
      'URLSearchParams',
    ];
    const code = `${JSON.stringify(names)}.map((name) => { const it = globalThis[name]; return [Object.isFrozen(it), it.prototype === undefined || Object.isFrozen(it.prototype), caught(() => it.constructor('return 1')())]; })`;
    expect(await there(code)).toStrictEqual(names.map(() => [true, true, 'throws EvalError']));
    const brand = `[() => URL.prototype.href, () => Reflect.get(URL.prototype, 'searchParams'), () => TextDecoder.prototype.decode.call({}), () => URLSearchParams.prototype.append.call({}, 1, 2)].map(caught)`;
    expect(await there(brand)).toStrictEqual(Array(4).fill('throws TypeError'));
    expect(await there('[Object.keys(URL), Reflect.ownKeys(URL).map(String).sort()]')).toStrictEqual([
      [],
      ['canParse', 'length', 'name', 'parse', 'prototype'],
    ]);
  });

  test('a program may declare their names', async () => {
    await withExecutor({}, {}, async (other) => {
      await other.run('const URL = 5; function atob() { return 6; }');
      expect((await other.run('[URL, atob()]')).output).toStrictEqual([5, 6]);
    });
  });
});
