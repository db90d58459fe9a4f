// What failures say beyond V8's message: the name that was meant, and all of it in one text.

import { describe, expect, test } from 'vitest';

import { expectCode } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeHints({ withExecutor, can }) {
  const tools = { search: () => [1], Host: { readDoc: () => 'x', B: { c: () => 1 } } };
  const variables = { rows: [{ name: 'a', price: 1 }], user: { address: { street: 'x' }, none: null } };

  /** A page that does not answer within 100 ms causes no hint. On a busy machine it is asked again. */
  const ATTEMPTS = can.browse ? 5 : 1;

  const hintOf = async (code, before) => {
    let hint;
    for (let attempt = 0; attempt < ATTEMPTS && hint === undefined; attempt++) {
      hint = await withExecutor({}, tools, async (executor) => {
        await executor.sendVariables(variables);
        if (before !== undefined) await executor.run(before);
        return (await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION')).details.hint;
      });
    }
    return hint;
  };

  describe('hints that suggest a name', () => {
    test.each([
      ['a tool', 'serch("x")', 'Did you mean `search`?'],
      ['a variable', 'row.length', 'Did you mean `rows`?'],
      ['a global with another case', 'json.stringify(1)', 'Did you mean `JSON`?'],
      ['a tool in a namespace', 'read_doc("x")', 'Did you mean `Host.readDoc`?'],
      ['a name similar to no other', 'quux()', undefined],
      ['a function of a namespace', 'Host.raedDoc()', '`Host` has no `raedDoc`. Did you mean `readDoc`?'],
      ['a function of a nested namespace', 'Host.B.d()', '`Host.B` has `c`.'],
      ['a namespace that is called as a function', 'Host()', '`Host` has `readDoc`, `B`.'],
      ['a method of a variable', 'rows.fliter((x) => x)', '`rows` has no `fliter`. Did you mean `filter`?'],
      ['a method of an element', 'rows[0].name.trimm()', '`rows[0].name` has no `trimm`. Did you mean `trim`?'],
      ['a method of a built-in', 'Math.flor(1.5)', '`Math` has no `flor`. Did you mean `floor`?'],
      ['a method of an unnamed value', '"a".concat("b").toUppercase()', 'Did you mean `toUpperCase`?'],
      ['a method of a local variable', '(() => { const own = [1]; own.mpa((x) => x); })()', 'Did you mean `map`?'],
      ['a method similar to no other', 'rows.quux()', undefined],
      ['a property that is called as a function', 'rows.length()', '`rows.length` is a number, not a function.'],
      ['a property of undefined', 'user.adress.street', '`user` has no `adress`. Did you mean `address`?'],
      ['a property of an undefined element', 'rows[0].nmae.length', '`rows[0]` has no `nmae`. Did you mean `name`?'],
      ['a property of null', 'user.none.x', '`user.none` is null.'],
      ['an undefined variable', 'let nothing; nothing.x', '`nothing` is undefined.'],
      ['other errors', 'throw new Error("x")', undefined],
      ['a thrown string that looks like a message', 'throw "serch is not defined"', undefined],
    ])('for %s', async (_, code, hint) => {
      expect(await hintOf(code)).toBe(hint);
    });

    test('a name that an earlier run or this one has defined', async () => {
      expect(await hintOf('countWordz("a")', 'function countWords() {}')).toBe('Did you mean `countWords`?');
      expect(await hintOf('const total = 1; console.log(totl)')).toBe('Did you mean `total`?');
      const classes = 'class Counter { increment() {} } const counter = new Counter()';
      expect(await hintOf('counter.incremnt()', classes)).toBe(
        '`counter` has no `incremnt`. Did you mean `increment`?',
      );
    });

    test('hostile names and getters of the guest cost only the hint', async () => {
      await withExecutor({}, tools, async (executor) => {
        await executor.run(`let asked = 0;
          const loops = () => { if (asked++ > 0) for (;;); };
          Object.defineProperty(globalThis, 'hostile', { get() { loops(); return { get inner() { for (;;); } }; } });
          const proxy = new Proxy({}, { ownKeys() { throw new Error('mine'); } });`);
        for (const code of ['hostile.serch()', 'proxy.serch()']) {
          const error = await expectCode(executor.run(`asked = 0; ${code}`), 'ERR_RUNTIME_EXCEPTION');
          expect(error.details.hint).toBe(undefined);
        }
        expect((await executor.run('1 + 1')).output).toBe(2);
      });
    });
  });

  describe('the explanation', () => {
    const explain = (code, options) =>
      withExecutor(options ?? {}, tools, async (executor) => {
        const error = await executor.run(code).catch((thrown) => thrown);
        expect(Object.keys(error)).not.toContain('explanation');
        return error.explanation;
      });

    test('of an exception has the message, the place, the lines around it and the hint', async () => {
      expect(await explain('1;\nserch("x")'))
        .toBe(`ERR_RUNTIME_EXCEPTION: Runtime exception: ReferenceError: serch is not defined (line 2, column 1)
  |
1 | 1;
2 | serch("x")
  | ^ ReferenceError: serch is not defined
Hint: Did you mean \`search\`?`);
    });

    test('of refused code lists the findings', async () => {
      expect(await explain('1;\nconst = 1'))
        .toBe(`ERR_VALIDATION_FAILED: Code validation failed: Unexpected token '=' (line 2, column 7)
  |
1 | 1;
2 | const = 1
  |       ^ Unexpected token '='
Hint: None of the code has run. Correct it and send all of it again.`);
    });

    test.skipIf(can.outlives)('of a run that loses the state of earlier runs says so', async () => {
      expect(await explain('await new Promise(() => {})', { timeoutMs: 50 })).toBe(
        'ERR_EXEC_TIMEOUT: Execution timed out after 50ms\n' +
          'Hint: Do less in one run, and await only promises that settle. ' +
          'Variables and functions of earlier runs are gone: define again what is still needed.',
      );
    });

    test('of an illegal call names the state', async () => {
      await withExecutor({}, {}, async (executor) => {
        await executor.cleanup();
        const error = await expectCode(executor.run('1'), 'ERR_INVALID_STATE');
        expect(error.explanation).toBe(
          'ERR_INVALID_STATE: Invalid executor state: DEAD: run() was called after cleanup() or a failed init(); call init() first\n' +
            'Hint: await init() first',
        );
      });
    });
  });
}
