// Values that the host passes to guests, as results of tools and as variables: which may cross, and the errors for
// others.

import { describe, expect, test } from 'vitest';

import { expectCode, rejection, testIf } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeHostValues({ make, withExecutor, can, expectGivenUp }) {
  describe('return values of tools', () => {
    const trap = () => {
      throw new Error('trap');
    };

    test.each([
      [
        'a thenable that settles many times',
        () => ({
          then(resolve, reject) {
            resolve(1);
            resolve(2);
            reject(3);
            throw new Error('4');
          },
        }),
        1,
      ],
      ['a thenable of a thenable', () => ({ then: (resolve) => resolve({ then: (inner) => inner('deep') }) }), 'deep'],
      ['a function that is a thenable', () => Object.assign(() => {}, { then: (resolve) => resolve('fn') }), 'fn'],
      ['an object whose then is not a function', () => ({ then: 'text' }), { then: 'text' }],
      ['a subclass of Promise', () => new (class extends Promise {})((resolve) => resolve('sub')), 'sub'],
    ])('may be %s', async (_name, make, expected) => {
      await withExecutor({}, { give: make, giveLater: async () => make() }, async (executor) => {
        expect((await executor.run('await give()')).output).toStrictEqual(expected);
        expect((await executor.run('await giveLater()')).output).toStrictEqual(expected);
      });
    });

    test.each([
      ['a thenable whose getter throws', () => Object.defineProperty({}, 'then', { get: trap }), 'trap'],
      ['a thenable that throws', () => ({ then: trap }), 'trap'],
      [
        'a thenable that rejects with a proxy',
        () => ({ then: (_, reject) => reject(new Proxy({}, { get: trap })) }),
        '',
      ],
      ['a function', () => () => {}, 'function'],
      ['a symbol', () => Symbol('s'), 'symbol'],
      ['a proxy', () => new Proxy({}, {}), 'Proxy'],
      ['a proxy with hostile traps', () => new Proxy({}, { get: trap, ownKeys: trap }), ''],
      ['a generator', () => (function* () {})(), 'result (generator) cannot be cloned'],
      ['an async generator', () => (async function* () {})(), 'result (generator) cannot be cloned'],
      ['a WeakMap', () => new WeakMap(), 'WeakMap'],
      [
        'an object with a getter that throws',
        () => ({
          get x() {
            throw new Error('getter');
          },
        }),
        '',
      ],
    ])('%s is a tool failure that guests can handle', async (_name, make, text) => {
      await withExecutor({}, { give: make, giveLater: async () => make() }, async (executor) => {
        for (const code of ['give()', 'giveLater()']) {
          expect(
            (await executor.run(`try { await ${code}; return 'no error'; } catch (e) { return e instanceof Error; }`))
              .output,
          ).toBe(true);
          const error = await expectCode(executor.run(`await ${code}`), 'ERR_TOOL_PROXY_FAIL');
          expect(error.message).toContain(text);
          expect(executor.state).toBe('READY');
        }
      });
    });

    test('toJSON of a host value is not called', async () => {
      let called = 0;
      const given = { a: 1, date: new Date(0) };
      await withExecutor({}, { give: () => given, json: () => ({ toString: 1 }) }, async (executor) => {
        Object.defineProperty(Object.prototype, 'toJSON', {
          configurable: true,
          get() {
            if (this === given || this === given.date) called++;
            return undefined;
          },
        });
        try {
          expect((await executor.run('give().a')).output).toBe(1);
        } finally {
          delete Object.prototype.toJSON;
        }
      });
      expect(called).toBe(0);
    });

    test('an async generator function as a tool returns no promise that stays pending', async () => {
      await withExecutor(
        {},
        {
          async *gen() {
            yield 1;
          },
        },
        async (executor) => {
          await expectCode(executor.run('await gen()'), 'ERR_TOOL_PROXY_FAIL');
        },
      );
    });

    test('a promise that never settles ends with the deadline', async () => {
      const tools = {
        never: () => new Promise(() => {}),
        neverAsync: async () => new Promise(() => {}),
        thenable: () => ({ then() {} }),
      };
      for (const name of Object.keys(tools)) {
        await withExecutor({ timeoutMs: 150 }, tools, async (executor) => {
          const error = await expectCode(executor.run(`await ${name}()`), 'ERR_EXEC_TIMEOUT');
          expect(error.message).toBe('Execution timed out after 150ms');
          expectGivenUp(executor, error);
        });
      }
    });
  });

  describe('values that the host cannot clone', () => {
    const VALUES_WITH_PATH = [
      ['a symbol', { v: Symbol('s') }, 'v'],
      ['a nested function', { cfg: { deep: [1, { f() {} }] } }, 'cfg.deep[1].f'],
      ['a promise', { cfg: { p: Promise.resolve() } }, 'cfg.p'],
      ['a WeakMap in a Map', { cfg: { m: new Map([['k', new WeakMap()]]) } }, 'cfg.m'],
      ['a proxy', { cfg: { x: new Proxy({}, {}) } }, 'cfg.x'],
    ];

    test.each(VALUES_WITH_PATH)(
      '%s in variables causes a TypeError that names the path',
      async (_name, variables, path) => {
        await withExecutor({}, {}, async (executor) => {
          const error = await rejection(executor.sendVariables({ fine: 1, ...variables }));
          expect(error).toBeInstanceOf(TypeError);
          expect(error.message).toContain(path);
          expect(executor.state).toBe('READY');
          await executor.sendVariables({ fine: 2 });
          expect((await executor.run('fine')).output).toBe(2);
        });
      },
    );

    test.each([
      ['null', () => null, 'null'],
      ['an array', () => [1], 'an array'],
      ['a Map', () => new Map([['v', 1]]), 'an instance of Map'],
    ])('%s in place of variables is named in the TypeError', async (_name, variables, got) => {
      await withExecutor({}, {}, async (executor) => {
        expect(await rejection(executor.sendVariables(variables()))).toStrictEqual(
          new TypeError(`variables must be a plain object of values by name, got ${got}`),
        );
      });
    });

    // Node.js writes these classes in JavaScript, so that V8 takes them for plain objects: they arrived as `{}`.
    test.each([
      ['URL', () => new URL('https://a.b/'), '; pass its `href`'],
      ['URLSearchParams', () => new URLSearchParams('a=1'), '; pass `Object.fromEntries` of it, or its text'],
      ['Headers', () => new Headers({ a: 'b' }), '; pass `Object.fromEntries` of it'],
      ['Response', () => new Response('x'), '; pass what its `text()` or `json()` resolves to'],
      ['Request', () => new Request('https://a.b/'), '; pass what its `text()` or `json()` resolves to'],
      ['FormData', () => new FormData(), '; pass `Object.fromEntries` of it'],
      ['Blob', () => new Blob(['x']), '; pass what its `text()` or `arrayBuffer()` resolves to'],
      ['ReadableStream', () => new ReadableStream(), '; pass what has been read from it'],
      ['AbortSignal', () => new AbortController().signal, ''],
      ['Page', () => new (class Page extends URL {})('https://a.b/'), '; pass its `href`'],
    ])('%s is refused with the name of its class and an alternative', async (name, value, hint) => {
      await withExecutor({}, { give: () => ({ items: [value()] }) }, async (executor) => {
        const refused = (path) => `${path} (${name}) cannot be cloned${hint}`;
        const error = await expectCode(executor.run('await give()'), 'ERR_TOOL_PROXY_FAIL');
        expect(error.message).toBe(`Tool execution failed: TypeError: ${refused('result.items[0]')}`);
        await expect(executor.sendVariables({ v: value() })).rejects.toThrow(new TypeError(refused('variables.v')));
        const many = Array.from({ length: 1_000 }, (_, at) => (at === 999 ? value() : { at }));
        await expect(executor.sendVariables({ many })).rejects.toThrow(new TypeError(refused('variables.many[999]')));
        expect(executor.state).toBe('READY');
      });
    });

    test('nothing of a refused call is defined', async () => {
      await withExecutor({}, {}, async (executor) => {
        await rejection(executor.sendVariables({ first: 1, second: () => {} }));
        expect((await executor.run('typeof first')).output).toBe('undefined');
      });
    });

    test.each([
      ['sync', () => ({ a: [{ f() {} }] })],
      ['async', async () => ({ a: [{ f() {} }] })],
      ['a promise of a synchronous tool', () => Promise.resolve({ a: [{ f() {} }] })],
    ])('a function in the result of a tool (%s) is a tool failure that names its path', async (_name, give) => {
      await withExecutor({}, { give }, async (executor) => {
        const error = await expectCode(executor.run('await give()'), 'ERR_TOOL_PROXY_FAIL');
        expect(error.details.tool).toBe('give');
        expect(error.details.bridge).toBe(true);
        expect(error.message).toContain('a[0].f');
        expect(
          (
            await executor.run(
              'try { await give(); } catch (e) { return e instanceof Error && !/\\.mjs|file:/.test(e.stack); }',
            )
          ).output,
        ).toBe(true);
        expect(executor.state).toBe('READY');
      });
    });

    testIf(can.importModules)('a value in a module that cannot be cloned causes a TypeError of the constructor', () => {
      const refused = () => make({ authorizedImports: ['m'], modules: { m: { bad: { s: Symbol('s') } } } });
      expect(refused).toThrow(new TypeError('options.modules.m.bad.s (symbol) cannot be cloned'));
    });

    test('a getter of a variable that throws is reported to the host', async () => {
      await withExecutor({}, {}, async (executor) => {
        const boom = new Error('getter of the host');
        const error = await rejection(
          executor.sendVariables({
            v: {
              get g() {
                throw boom;
              },
            },
          }),
        );
        expect(error === boom || error instanceof TypeError).toBe(true);
        expect(error.message).toContain(error === boom ? 'getter of the host' : 'v.g');
        expect(executor.state).toBe('READY');
      });
    });

    test('a SharedArrayBuffer is refused', async () => {
      await withExecutor({}, { give: () => new SharedArrayBuffer(8) }, async (executor) => {
        expect(await rejection(executor.sendVariables({ v: { sab: new SharedArrayBuffer(8) } }))).toBeInstanceOf(
          TypeError,
        );
        expect(await rejection(executor.sendVariables({ v: new Uint8Array(new SharedArrayBuffer(8)) }))).toBeInstanceOf(
          TypeError,
        );
        await expectCode(executor.run('give()'), 'ERR_TOOL_PROXY_FAIL');
      });
    });

    test('a variable of depth 100,000 is refused with an error, and the executor continues', async () => {
      let deep = 1;
      for (let i = 0; i < 100_000; i++) deep = [deep];
      await withExecutor({}, { give: () => deep }, async (executor) => {
        const sent = await executor.sendVariables({ deep }).then(
          () => 'sent',
          (error) => error,
        );
        expect(sent === 'sent' || sent instanceof Error).toBe(true);
        const given = await executor.run('give(), 1').catch((error) => error);
        expect(given.output === 1 || given.code === 'ERR_TOOL_PROXY_FAIL').toBe(true);
        expect((await executor.run('2')).output).toBe(2);
      });
    });
  });

  test("the guest does not see later changes of the host's object, which stays unfrozen", async () => {
    const object = { a: 0, list: [1], nested: { deep: { x: 1 } }, when: new Date(0), bytes: new Uint8Array(1) };
    await withExecutor({}, { give: () => object }, async (executor) => {
      await executor.sendVariables({ v: object });
      object.a = 'changed';
      object.list.push('changed');
      expect((await executor.run('[v.a, v.list.length]')).output).toStrictEqual([0, 1]);
      await executor.run('give()');
    });
    expect([object, object.list, object.nested].some(Object.isFrozen)).toBe(false);
  });
}
