// What tools throw (specification, section 7.4): how guests see it, how it is told from the guest's own errors, and
// that nothing of the host leaks by it.

import { describe, expect, test } from 'vitest';

import { deferred, expectCode } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeToolFailures({ withExecutor, expectGivenUp }) {
  describe('tool failures in guest code', () => {
    class HostError extends Error {
      name = 'HostError';
      code = 'E_HOST';
      path = '/etc/secret';
    }
    const boom = new HostError('boom happened');
    const TOOLS = {
      syncBoom: () => {
        throw boom;
      },
      asyncBoom: async () => {
        throw boom;
      },
      promiseBoom: () => Promise.reject(boom),
      fine: (x) => x,
    };

    test.each([
      'syncBoom()',
      'await syncBoom()',
      'await asyncBoom()',
      'await promiseBoom()',
      'return asyncBoom()',
      'await Promise.all([fine(1), asyncBoom()])',
    ])("%s uncaught is ERR_TOOL_PROXY_FAIL with the host's error as cause", async (code) => {
      await withExecutor({}, TOOLS, async (executor) => {
        const error = await expectCode(executor.run(`console.log('before');\n${code};`), 'ERR_TOOL_PROXY_FAIL');
        expect(error.message).toMatch(/^Tool execution failed: /);
        expect(error.message).toContain('boom happened');
        expect(error.details.tool).toBe(code.match(/\w+Boom/)[0]);
        expect(error.details.name).toBe('HostError');
        expect(error.details.message).toBe('boom happened');
        expect(error.details.code).toBe('E_HOST');
        expect(error.details.line).toBe(2);
        expect(error.cause).toBe(boom);
        expect(error.logs).toBe('before');
        expect(error.severity).toBe('ERROR');
        expect(executor.state).toBe('READY');
        expect((await executor.run('fine(1)')).output).toBe(1);
      });
    });

    test.each(['syncBoom()', 'await asyncBoom()', 'await promiseBoom()'])(
      '%s caught and handled does not fail the run',
      async (code) => {
        await withExecutor({}, TOOLS, async (executor) => {
          const { output, is_final_answer: isFinal } = await executor.run(`
        try { ${code}; } catch (e) {
          return [e instanceof Error, e.name, e.message, e.code, e.path, 'cause' in e];
        }`);
          expect(output).toStrictEqual([true, 'HostError', 'boom happened', 'E_HOST', undefined, false]);
          expect(isFinal).toBe(false);
        });
      },
    );

    test.each(['syncBoom()', 'await asyncBoom()', 'await promiseBoom()'])(
      '%s caught and thrown again, immediately or later, is a tool failure',
      async (code) => {
        await withExecutor({}, TOOLS, async (executor) => {
          const again = await expectCode(
            executor.run(`try { ${code}; } catch (e) { throw e; }`),
            'ERR_TOOL_PROXY_FAIL',
          );
          expect(again.cause).toBe(boom);
          const later = await expectCode(
            executor.run(`let kept; try { ${code}; } catch (e) { kept = e; } await fine(1); throw kept;`),
            'ERR_TOOL_PROXY_FAIL',
          );
          expect(later.cause).toBe(boom);
          const changed = await expectCode(
            executor.run(`try { ${code}; } catch (e) { e.message = 'changed'; e.name = 'Changed'; throw e; }`),
            'ERR_TOOL_PROXY_FAIL',
          );
          // As it was made.
          expect(changed.cause).toBe(boom);
          expect(changed.details).toMatchObject({ name: 'HostError', message: 'boom happened', code: 'E_HOST' });
        });
      },
    );

    test.each([
      [
        'an unrelated error after a handled failure',
        'try { syncBoom(); } catch {} throw new TypeError("mine");',
        'TypeError',
        'mine',
      ],
      [
        'an unrelated error after a handled rejection',
        'await asyncBoom().catch(() => {}); null.x;',
        'TypeError',
        undefined,
      ],
      [
        'a new error with the failure as cause',
        'try { syncBoom(); } catch (e) { throw new Error("wrapped", { cause: e }); }',
        'Error',
        'wrapped',
      ],
      [
        'a new error after a rejection',
        'try { await asyncBoom(); } catch (e) { throw new RangeError(e.message); }',
        'RangeError',
        'boom happened',
      ],
      ['an AggregateError of failures', 'await Promise.any([asyncBoom(), promiseBoom()])', 'AggregateError', undefined],
      ['an error while the result is used', 'fine(1).toUpperCase()', 'TypeError', undefined],
      ['an error in finally', 'try { syncBoom(); } finally { throw new Error("finally"); }', 'Error', 'finally'],
      [
        'an error with one of our codes',
        'throw Object.assign(new Error("forged"), { code: "ERR_TOOL_PROXY_FAIL", tool: "fine" })',
        'Error',
        'forged',
      ],
      [
        'an object that looks like a failure',
        'try { syncBoom(); } catch (e) { throw Object.create(e); }',
        null,
        undefined,
      ],
      [
        'a copy of a failure',
        'try { syncBoom(); } catch (e) { throw Object.assign(new Error(e.message), { name: e.name, stack: e.stack, code: e.code }); }',
        'HostError',
        'boom happened',
      ],
    ])('%s is ERR_RUNTIME_EXCEPTION', async (_name, code, name, message) => {
      await withExecutor({}, TOOLS, async (executor) => {
        const error = await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
        if (name !== null) expect(error.details.name).toBe(name);
        if (message !== undefined) expect(error.details.message).toBe(message);
        expect(error.details.tool).toBe(undefined);
        expect('cause' in error && error.cause !== undefined).toBe(false);
      });
    });

    // A guest may have rewritten it since: the host gets the details of a tool failure only for the run that called it.
    test('a failure of an earlier run that is thrown in a later one is a runtime exception', async () => {
      await withExecutor({}, TOOLS, async (executor) => {
        await executor.run('let kept; try { syncBoom(); } catch (e) { kept = e; }');
        const error = await expectCode(executor.run('throw kept'), 'ERR_RUNTIME_EXCEPTION');
        expect(error.details).toMatchObject({ name: 'HostError', message: 'boom happened' });
        expect(error.details.tool).toBeUndefined();
        expect(error.cause).toBeUndefined();
      });
    });

    test('the host keeps the last 64 failures that code caught', async () => {
      const tools = {
        fail: (n) => {
          throw new Error(`failure ${n}`);
        },
      };
      const causeOf = async (executor, kept) => {
        const code = `const caught = []; for (let i = 0; i < 65; i++) { try { fail(i); } catch (e) { caught.push(e); } } throw caught[${kept}];`;
        const error = await expectCode(executor.run(code), 'ERR_TOOL_PROXY_FAIL');
        expect(error.details.message).toBe(`failure ${kept}`);
        return error.cause?.message;
      };
      await withExecutor({}, tools, async (executor) => {
        expect(await causeOf(executor, 0)).toBe(undefined);
        expect(await causeOf(executor, 1)).toBe('failure 1');
        expect(await causeOf(executor, 64)).toBe('failure 64');
      });
    });

    test('the second of two failures is the cause', async () => {
      const errors = [new Error('first'), new Error('second')];
      const tools = {
        fail: (n) => {
          throw errors[n];
        },
      };
      await withExecutor({}, tools, async (executor) => {
        const error = await expectCode(executor.run('try { fail(0); } catch {} fail(1);'), 'ERR_TOOL_PROXY_FAIL');
        expect(error.cause).toBe(errors[1]);
      });
    });

    test('guests see no stack and no path of the host', async () => {
      await withExecutor({}, TOOLS, async (executor) => {
        const { output } = await executor.run(`
        const texts = [];
        const collect = (e) => {
          for (const key of Reflect.ownKeys(e)) texts.push(String(key), String(e[key]));
          texts.push(String(e), e.stack, String(e.constructor.name));
        };
        try { syncBoom(); } catch (e) { collect(e); console.log(e); console.error(e); }
        try { await asyncBoom(); } catch (e) { collect(e); console.log(e); }
        await promiseBoom().catch((e) => { collect(e); console.log(e); });
        return texts.join('\\n');`);
        expect(output).not.toMatch(/\.mjs|\.cjs|file:|node:|__test__|secret|\/work|vitest|tool-calls|\.rs|ext:/);
        const { logs } = await executor.run(
          'try { syncBoom(); } catch (e) { console.log(e); console.log("%o", e); console.dir(e); console.trace(e); }',
        );
        expect(logs).not.toMatch(/\.mjs|\.cjs|file:|node:|__test__|secret|\/work|vitest|tool-calls|\.rs|ext:/);
        expect(logs).toContain('boom happened');
      });
    });

    test('`error.details` has no host stack either', async () => {
      await withExecutor({}, TOOLS, async (executor) => {
        const error = await expectCode(executor.run('await asyncBoom()'), 'ERR_TOOL_PROXY_FAIL');
        expect(JSON.stringify(error.details)).not.toMatch(/\.mjs|file:|node:|__test__|secret/);
      });
    });
  });

  describe('tools may throw', () => {
    const trap = () => {
      throw new Error('trap of the host');
    };
    const hostileProxy = () =>
      new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap });
    // `stack` first: defining it makes V8 read name and message.
    const throwingGetters = () =>
      Object.defineProperties(Object.defineProperty(new Error('hidden'), 'stack', { get: trap }), {
        message: { get: trap },
        name: { get: trap },
        code: { get: trap },
      });
    const revoked = () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    };

    const THROWN = [
      ['a string', () => 'just text', /just text/],
      ['an empty string', () => '', /./],
      ['null', () => null, /null/],
      ['undefined', () => undefined, /undefined/],
      ['a number', () => 42, /42/],
      ['a BigInt', () => 7n, /7/],
      ['a symbol', () => Symbol('thrown'), /Symbol\(thrown\)/],
      ['a function', () => function thrown() {}, /./],
      ['a frozen error', () => Object.freeze(new Error('frozen')), /frozen/],
      ['a frozen object', () => Object.freeze({ message: 'cold' }), /cold/],
      ['an object without prototype', () => Object.create(null), /./],
      ['a proxy with hostile traps', hostileProxy, /./],
      ['a revoked proxy', revoked, /./],
      ['an error with getters that throw', throwingGetters, /./],
      [
        'an error whose message is an object',
        () => Object.assign(new Error('x'), { message: { toString: trap } }),
        /./,
      ],
      ['an error with a 10 MB message', () => new Error('long '.repeat(2_000_000)), /long/],
      [
        'an error with a name of the engine',
        () => Object.assign(new Error('pretends'), { name: 'FinalAnswerSignal', code: 'ERR_MAX_OPS_EXCEEDED' }),
        /pretends/,
      ],
      [
        'a cyclic object',
        () => {
          const o = { message: 'round' };
          o.self = o;
          return o;
        },
        /round/,
      ],
      ['a thenable', () => ({ then: (resolve) => resolve('no') }), /./],
    ];

    test.each(THROWN)('%s', async (_name, make, pattern) => {
      const thrown = make();
      const tools = {
        sync: () => {
          throw thrown;
        },
        reject: async () => {
          throw thrown;
        },
        promise: () => Promise.reject(thrown),
      };
      await withExecutor({}, tools, async (executor) => {
        for (const code of ['sync()', 'await reject()', 'await promise()']) {
          const { output } = await executor.run(
            `try { ${code}; return 'no error'; } catch (e) { return e instanceof Error && typeof e.message === 'string' && typeof e.name === 'string'; }`,
          );
          expect(output).toBe(true);
          const error = await expectCode(executor.run(code), 'ERR_TOOL_PROXY_FAIL');
          expect(error.message).toMatch(pattern);
          expect(error.message.length).toBeLessThan(100_000);
          expect(Object.is(error.cause, thrown)).toBe(true);
          expect(error.details.tool).toBe(code.match(/(\w+)\(/)[1]);
          expect(executor.state).toBe('READY');
        }
      });
    });
  });

  describe('P6 events after the end of a run', () => {
    test('answers after cleanup and init are dropped', async () => {
      const gate = deferred();
      const marks = [];
      const tools = { slow: async () => gate.promise, mark: (x) => void marks.push(x) };
      await withExecutor({ timeoutMs: 150 }, tools, async (executor) => {
        await expectCode(executor.run('await slow(); mark("old")'), 'ERR_EXEC_TIMEOUT');
        await executor.cleanup();
        await executor.init();
        await executor.sendTools({ ...tools, other: async () => 'new' });
        const run = executor.run('await other()');
        gate.resolve('late');
        expect((await run).output).toBe('new');
      });
      expect(marks).toStrictEqual([]);
    });

    test('a rejection after an abort causes no unhandled rejection', async () => {
      const gate = deferred();
      const seen = [];
      const listener = (reason) => seen.push(reason);
      process.on('unhandledRejection', listener);
      try {
        for (const wait of [() => gate.promise, async () => gate.promise]) {
          const controller = new AbortController();
          const slow = () => (controller.abort(), wait());
          await withExecutor({}, { slow }, async (executor) => {
            const error = await expectCode(
              executor.run('await slow()', { signal: controller.signal }),
              'ERR_EXEC_TIMEOUT',
            );
            expectGivenUp(executor, error);
          });
        }
        gate.reject(new Error('late failure'));
        // Unhandled rejections are reported when the microtasks are done.
        await new Promise((resolve) => setImmediate(resolve));
      } finally {
        process.off('unhandledRejection', listener);
      }
      expect(seen).toStrictEqual([]);
    });
  });
}
