// Section 7.3 of the specification: what a run logs, as text, entry by entry and while it goes on.

import { describe, expect, test } from 'vitest';

import { expectCode, testIf } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeLogs({ make, withExecutor, can }) {
  const MARKER = '...[TRUNCATED]';

  describe('levels and entries', () => {
    const ALL =
      'console.log("l"); console.info("i"); console.warn("w"); console.error("e"); console.debug("d"); console.assert(false, "a"); console.table([]); console.trace("t"); console.count(); console.dir(1); console.group("g");';

    testIf(can.hasConsole)('each method has its own level', async () => {
      await withExecutor({}, {}, async (executor) => {
        const before = Date.now();
        const { logEntries } = await executor.run(ALL);
        expect(logEntries.map(({ level, message }) => [level, message.split('\n')[0].slice(0, 18)])).toStrictEqual([
          ['log', 'l'],
          ['info', 'i'],
          ['warn', 'w'],
          ['error', 'e'],
          ['debug', 'd'],
          ['warn', 'Assertion failed: '],
          ['log', '┌─────────┐'],
          ['error', 'Trace: t'],
          ['log', 'default: 1'],
          ['log', '1'],
          ['log', 'g'],
        ]);
        for (const { ts } of logEntries) {
          expect(new Date(ts).toISOString()).toBe(ts);
          expect(Date.parse(ts)).toBeGreaterThanOrEqual(before - 1000);
          expect(Date.parse(ts)).toBeLessThanOrEqual(Date.now() + 1000);
        }
      });
    });

    testIf(can.hasConsole).each([
      [['log'], ['log']],
      [
        ['warn', 'error'],
        ['warn', 'error'],
      ],
      [['debug'], ['debug']],
      [[], []],
      [
        ['error', 'log', 'info'],
        ['log', 'info', 'error'],
      ],
    ])('collectConsoleLevels %j', async (collectConsoleLevels, expected) => {
      await withExecutor({ collectConsoleLevels }, {}, async (executor) => {
        const { logEntries, logs } = await executor.run(
          'console.log("log"); console.info("info"); console.warn("warn"); console.error("error"); console.debug("debug"); 0',
        );
        expect(logEntries.map((entry) => entry.level)).toStrictEqual(expected);
        expect(logs).toBe(expected.join('\n'));
      });
    });

    testIf(can.hasConsole)('entries that are not collected are not formatted', async () => {
      await withExecutor({ collectConsoleLevels: ['error'] }, {}, async (executor) => {
        const { output } = await executor.run(
          'let n = 0; console.log({ [Symbol.for("nodejs.util.inspect.custom")]() { n++; return ""; } }); console.table({ get a() { n++; } }); n',
        );
        expect(output).toBe(0);
      });
    });

    testIf(can.hasConsole)('warnings of the engine obey the levels too', async () => {
      await withExecutor({ collectConsoleLevels: ['log'] }, { slow: () => new Promise(() => {}) }, async (executor) => {
        expect((await executor.run('slow(); console.log("only"); 0')).logs).toBe('only');
      });
    });

    test('an empty line is an entry', async () => {
      await withExecutor({}, {}, async (executor) => {
        const { logs, logEntries } = await executor.run('console.log(); console.log(""); console.log("x"); 0');
        expect(logs).toBe('\n\nx');
        expect(logEntries).toHaveLength(3);
      });
    });

    test('lone surrogates, NUL and line separators do not fail the run', async () => {
      await withExecutor({}, {}, async (executor) => {
        const { logs } = await executor.run('console.log("a\\ud800b"); console.log("\\0"); console.log("\\u2028"); 0');
        expect(logs).toBe('a\ufffdb\n\0\n\u2028');
      });
    });
  });

  describe('onLog', () => {
    test('receives entries while the run continues', async () => {
      const entries = [];
      let seen;
      const arrived = new Promise((resolve) => {
        seen = resolve;
      });
      const onLog = (entry) => {
        entries.push(entry);
        if (entry.message === 'first') seen();
      };
      await withExecutor({ onLog, timeoutMs: 5000 }, { untilSeen: () => arrived }, async (executor) => {
        const { logEntries } = await executor.run(
          'console.log("first"); await untilSeen(); console.error("second"); 0',
        );
        expect(logEntries).toStrictEqual(entries);
        expect(entries.map(({ level, message }) => [level, message])).toStrictEqual([
          ['log', 'first'],
          ['error', 'second'],
        ]);
        expect(entries[0].ts).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      });
    });

    test('receives entries while a synchronous tool is awaited', async () => {
      const entries = [];
      await withExecutor(
        { onLog: (entry) => entries.push(entry.message) },
        { seen: () => entries.length },
        async (executor) => {
          expect((await executor.run('console.log("a"); console.log("b"); seen()')).output).toBe(2);
        },
      );
    });

    test('has received all entries, in order, when the run settles, also when it fails', async () => {
      const entries = [];
      await withExecutor({ onLog: (entry) => entries.push(entry.message) }, {}, async (executor) => {
        await executor.run('for (let i = 0; i < 5000; i++) console.log(i); 0');
        expect(entries).toStrictEqual(Array.from({ length: 5000 }, (_, i) => String(i)));
        entries.length = 0;
        await expectCode(executor.run('console.log("x"); throw 1'), 'ERR_RUNTIME_EXCEPTION');
        expect(entries).toStrictEqual(['x']);
      });
    });

    test('receives the cut entry once and nothing after it', async () => {
      const entries = [];
      await withExecutor({ onLog: (entry) => entries.push(entry.message), maxLogBytes: 1024 }, {}, async (executor) => {
        await executor.run('for (let i = 0; i < 1000; i++) console.log("0123456789"); 0');
        expect(entries.at(-1).endsWith(MARKER)).toBe(true);
        expect(entries.filter((message) => message.includes(MARKER))).toHaveLength(1);
      });
    });

    test('that throws or rejects does not affect the run and causes a warning of the process', async () => {
      const warnings = [];
      const listener = (warning) => warnings.push(warning);
      process.on('warning', listener);
      try {
        for (const onLog of [
          () => {
            throw new Error('listener');
          },
          async () => {
            throw new Error('listener');
          },
          () => {
            throw null;
          },
        ]) {
          await withExecutor({ onLog }, {}, async (executor) => {
            expect(await executor.run('console.log(1); console.log(2); 3')).toMatchObject({ output: 3, logs: '1\n2' });
          });
        }
        await new Promise((resolve) => setImmediate(resolve));
      } finally {
        process.off('warning', listener);
      }
      expect(warnings).toHaveLength(3);
    });

    test('may call the executor', async () => {
      let executor;
      const states = [];
      await withExecutor({ onLog: () => states.push(executor.state) }, { wait: async () => 1 }, async (it) => {
        executor = it;
        await executor.run('console.log(1); await wait(); 0');
        expect(states).toStrictEqual(['RUNNING']);
      });
    });
  });

  describe('maxLogBytes', () => {
    const run = (code, maxLogBytes = 1024) =>
      withExecutor({ maxLogBytes, maxOperations: 10_000_000 }, {}, async (executor) => {
        const result = await executor.run(`${code}\n;0`);
        expect(result.logs).toBe(result.logEntries.map((entry) => entry.message).join('\n'));
        return result.logs;
      });

    test('keeps a string of exactly the limit', async () => {
      expect(await run('console.log("x".repeat(1024))')).toBe('x'.repeat(1024));
    });

    test('cuts and marks a string that is one byte longer', async () => {
      expect(await run('console.log("x".repeat(1025))')).toBe('x'.repeat(1024) + MARKER);
    });

    test('counts line breaks between entries', async () => {
      expect(await run('console.log("x".repeat(511)); console.log("y".repeat(512));')).toBe(
        `${'x'.repeat(511)}\n${'y'.repeat(512)}`,
      );
      expect(await run('console.log("x".repeat(512)); console.log("y".repeat(512));')).toBe(
        `${'x'.repeat(512)}\n${'y'.repeat(511)}${MARKER}`,
      );
    });

    test('adds the marker once, and nothing follows it', async () => {
      const logs = await run('for (let i = 0; i < 200; i++) console.log("line " + i); console.error("never");');
      expect(logs.split(MARKER)).toHaveLength(2);
      expect(logs.endsWith(MARKER)).toBe(true);
      expect(Buffer.byteLength(logs)).toBe(1024 + MARKER.length);
    });

    test('adds only the marker for the first entry after the limit was reached exactly', async () => {
      const logs = await run('console.log("x".repeat(1024)); console.log("y");');
      expect(logs.startsWith('x'.repeat(1024))).toBe(true);
      expect(logs.endsWith(MARKER)).toBe(true);
      expect(logs.replace('\n', '')).toBe('x'.repeat(1024) + MARKER);
    });

    test.each([
      ['é', 2],
      ['€', 3],
      ['😀', 4],
    ])('counts bytes of UTF-8 and cuts no character: %s', async (character, bytes) => {
      const whole = Math.floor(1024 / bytes);
      expect(await run(`console.log("${character}".repeat(${whole}))`)).toBe(character.repeat(whole));
      expect(await run(`console.log("${character}".repeat(${whole + 1}))`)).toBe(character.repeat(whole) + MARKER);
      expect(await run(`console.log("a" + "${character}".repeat(1024))`)).toBe(
        `a${character.repeat(Math.floor(1023 / bytes))}${MARKER}`,
      );
    });

    test('is 256 KiB by default', async () => {
      await withExecutor({}, {}, async (executor) => {
        const { logs } = await executor.run('console.log("x".repeat(300000)); 0');
        expect(logs).toBe('x'.repeat(262_144) + MARKER);
      });
    });

    test('applies to each run separately', async () => {
      await withExecutor({ maxLogBytes: 1024 }, {}, async (executor) => {
        for (let i = 0; i < 3; i++)
          expect((await executor.run('console.log("x".repeat(1024)); 0')).logs).toBe('x'.repeat(1024));
      });
    });

    test('is at least 1,024', () => {
      expect(() => make({ maxLogBytes: 1023 })).toThrow(
        new RangeError('options.maxLogBytes must be an integer >= 1024, got 1023'),
      );
      expect(make({ maxLogBytes: 1024 }).state).toBe('NEW');
    });
  });

  describe('logs of a run', () => {
    test('are on the error of a run that fails', async () => {
      await withExecutor(
        { maxOperations: 10, timeoutMs: 2000 },
        {
          fail: () => {
            throw new Error('tool');
          },
        },
        async (executor) => {
          for (const [code, expected] of [
            ['console.log("a"); console.error("b"); throw new Error("x")', 'ERR_RUNTIME_EXCEPTION'],
            ['console.log("a"); console.error("b"); fail()', 'ERR_TOOL_PROXY_FAIL'],
            ...(can.limitOperations
              ? [['console.log("a"); console.error("b"); for (;;);', 'ERR_MAX_OPS_EXCEEDED']]
              : []),
          ]) {
            const error = await expectCode(executor.run(code), expected);
            expect(error.logs).toBe('a\nb');
            expect(error.logEntries.map(({ level }) => level)).toStrictEqual(['log', 'error']);
          }
        },
      );
    });

    test('are on the error of a run that times out', async () => {
      await withExecutor({ timeoutMs: 150 }, {}, async (executor) => {
        const error = await expectCode(
          executor.run('console.log("before"); await new Promise(() => {})'),
          'ERR_EXEC_TIMEOUT',
        );
        expect(error.logs).toBe('before');
      });
    });

    test('do not leak into the next run', async () => {
      await withExecutor({}, {}, async (executor) => {
        await executor.run('console.log("first"); 0');
        expect((await executor.run('0')).logs).toBe('');
        await expectCode(executor.run('console.log("second"); throw 1'), 'ERR_RUNTIME_EXCEPTION');
        const { logs, logEntries } = await executor.run('console.log("third"); 0');
        expect(logs).toBe('third');
        expect(logEntries).toHaveLength(1);
      });
    });

    test('keep the order of synchronous and asynchronous code', async () => {
      await withExecutor({}, { later: async () => 1, now: () => 1 }, async (executor) => {
        const { logs } = await executor.run(
          'console.log(1); const p = later().then(() => console.log(4)); console.log(2); now(); console.log(3); await p; console.log(5); 0',
        );
        expect(logs).toBe('1\n2\n3\n4\n5');
      });
    });

    testIf(can.hasConsole)('an error during formatting affects only its own line', async () => {
      await withExecutor({}, {}, async (executor) => {
        const { output, logEntries } = await executor.run(`
        console.log({ [Symbol.for('nodejs.util.inspect.custom')]() { throw new Error('custom'); } });
        console.log('%s', { toString() { throw new Error('toString'); } });
        console.log(new (class { get [Symbol.toStringTag]() { throw new Error('tag'); } })());
        console.table([{ get a() { throw new Error('cell'); } }]);
        console.log('after');
        'went on';`);
        expect(output).toBe('went on');
        expect(logEntries.at(-1).message).toBe('after');
        expect(logEntries).toHaveLength(5);
      });
    });
  });
}
