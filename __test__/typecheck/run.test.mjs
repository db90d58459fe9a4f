import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { SESExecutor, blocking, checkTypes } from '../../index.mjs';
import { createCodeTool } from 'ses-executor/code-tool';
import { PyodideExecutor } from 'ses-executor/python';
import { createRequire } from 'node:module';
import { z } from 'zod';

import { expectCode, gateTool, rejection, withExecutor } from '../helpers.mjs';
import { MISSPELT, NATIVE, SEARCH, found, sharedChecker, useTypeScript } from './helpers.mjs';

const require = createRequire(import.meta.url);
const { OPTIONS } = require('../../build/contract/option-table.js');
const { defined } = require('../../build/contract/tool-traits.js');

beforeAll(() => useTypeScript(NATIVE));
afterAll(() => sharedChecker().end());

const calls = [];
const search = defined(async (input) => {
  calls.push(input);
  return SEARCH.execute(input);
}, SEARCH);
const checked = (fn, options = {}) => withExecutor({ typecheck: 'error', ...options }, { search }, fn);
const diagnosticsOf = async (run) => {
  const { details } = await expectCode(run, 'ERR_VALIDATION_FAILED');
  return found(details.diagnostics);
};
const WRONG = 'await search({ querry: "tin" })';

test('every global of guests is declared', async () => {
  const globals = OPTIONS.find(({ name }) => name === 'globals').values;
  await checked(
    async (executor) => {
      const { output } = await executor.run('Object.getOwnPropertyNames(globalThis)');
      const names = output.filter((name) => name !== 'search');
      expect(names).toStrictEqual(expect.arrayContaining(['Map', 'btoa', 'fetch']));
      expect(found((await executor.run(`[${names}].length`)).diagnostics)).toStrictEqual([]);
    },
    { globals, typecheck: 'warn' },
  );
});

describe('typecheck: "error"', () => {
  test('refuses a wrong argument before the tool is called', () =>
    checked(async (executor) => {
      calls.length = 0;
      const error = await expectCode(executor.run(`await search({ query: 'a' });\n${WRONG}`), 'ERR_VALIDATION_FAILED');
      expect(error.details).toStrictEqual({
        diagnostics: [
          {
            rule: 'type_error',
            severity: 'ERROR',
            message: MISSPELT,
            location: { line: 2, column: 16 },
            fix: 'Write `query`',
          },
        ],
        codeFrame: `  |\n1 | await search({ query: 'a' });\n2 | await search({ querry: "tin" })\n  |                ^ ${MISSPELT}`,
      });
      expect(error.explanation.split('\n').at(-1)).toBe('Hint: Write `query`');
      expect(calls).toStrictEqual([]);
      expect(executor.state).toBe('READY');
    }));

  test('runs a program without mistakes', () =>
    checked(async (executor) => {
      expect((await executor.run('(await search({ query: "tin" }))[0].title')).output).toBe('tin');
    }));

  test('leaves syntax errors and imports to validation', () =>
    checked(async (executor) => {
      expect(await diagnosticsOf(executor.run('const = 1'))).toStrictEqual(["syntax_valid 1:7 Unexpected token '='"]);
      await expectCode(executor.run('await import("fs")'), 'ERR_IMPORT_NOT_ALLOWED');
    }));

  test('names positions of the text that the model wrote, with its fences', () =>
    checked(async (executor) => {
      const text = `I search first.\n\n\`\`\`js\nconst q = "é";\n${WRONG}\n\`\`\`\nDone.`;
      const error = await expectCode(executor.run(text), 'ERR_VALIDATION_FAILED');
      expect(found(error.details.diagnostics)).toStrictEqual([`type_error 5:16 ${MISSPELT}`]);
      expect(error.details.codeFrame).toContain('5 | await search({ querry: "tin" })');
    }));

  test('counts columns in UTF-16 units', () =>
    checked(async (executor) => {
      expect(await diagnosticsOf(executor.run('const s = "é日𝒳"; s.lenght'))).toStrictEqual([
        `type_error 1:21 Property 'lenght' does not exist on type '"é日𝒳"'. Did you mean 'length'?`,
      ]);
    }));

  test('suggests what to do about a forgotten await and about names of other environments', () =>
    checked(async (executor) => {
      const fixes = async (code) => (await rejection(executor.run(code))).details.diagnostics.map(({ fix }) => fix);
      expect(await fixes('search({ query: "a" }).length')).toStrictEqual([
        'Write `await` before the call: it returns a promise',
      ]);
      expect(await fixes('setTimeout(() => {}, 5)')).toStrictEqual([
        'There are no timers: leave the wait out, and `await` the functions that you call.',
      ]);
      expect(await fixes('serch({ query: "a" })')).toStrictEqual(['Write `search`']);
    }));

  test('checks TypeScript, and JavaScript by other rules', () =>
    checked(async (executor) => {
      const typescript = 'const limit: string = "5"; await search({ query: "a", limit })';
      expect(await diagnosticsOf(executor.run(typescript))).toStrictEqual([
        "type_error 1:55 'limit': Type 'string' is not assignable to type 'number'.",
      ]);
      await executor.run('const options = {}; options.query = "a"; await search(options)', { language: 'javascript' });
    }));

  test('applies to one run if the run sets it', () =>
    withExecutor({}, { search }, async (executor) => {
      await executor.run(WRONG);
      expect(await diagnosticsOf(executor.run(WRONG, { typecheck: 'error' }))).toStrictEqual([
        `type_error 1:16 ${MISSPELT}`,
      ]);
      await executor.run(WRONG);
    }));

  test('does not apply to a run that turns it off', () =>
    checked((executor) => executor.run(WRONG, { typecheck: 'off' })));

  test('is a TypeError for Python and for unknown values', async () => {
    expect(() => new PyodideExecutor(undefined, { typecheck: 'error' })).toThrow(TypeError);
    expect(() => new SESExecutor({ typecheck: 'on' })).toThrow(
      new RangeError('options.typecheck must be "error" or "warn" or "off", got "on"'),
    );
    expect(() => createCodeTool({ tools: {}, language: 'python', typecheck: 'error' })).toThrow(TypeError);
  });
});

describe('typecheck: "warn"', () => {
  test('runs the program, and its log has the mistakes', () =>
    checked(
      async (executor) => {
        const { output, logs, logEntries } = await executor.run(`${WRONG}; 5`);
        expect(output).toBe(5);
        expect(logs).toBe(`Line 1: ${MISSPELT} (Write \`query\`)`);
        expect(logEntries.map(({ level }) => level)).toStrictEqual(['warn']);
      },
      { typecheck: 'warn' },
    ));

  test('adds the mistakes to the failure of a program', () =>
    checked(
      async (executor) => {
        const { details } = await expectCode(executor.run(`${WRONG}; throw 1`), 'ERR_RUNTIME_EXCEPTION');
        expect(details.diagnostics.map(({ severity, message }) => [severity, message])).toStrictEqual([
          ['WARNING', MISSPELT],
        ]);
      },
      { typecheck: 'warn' },
    ));
});

describe('declarations of earlier runs', () => {
  test('are known with their inferred types', () =>
    checked(async (executor) => {
      await executor.run('const hits = await search({ query: "a" }); function first(list) { return list[0]; }');
      await executor.run('class Box { constructor(value) { this.value = value; } get size() { return 1; } }');
      expect(
        (await executor.run('[hits[0].title, first(hits, 1).title, new Box(2).value, new Box(2).size]')).output,
      ).toStrictEqual(['a', 'a', 2, 1]);
      expect(await diagnosticsOf(executor.run('hits[0].link'))).toStrictEqual([
        "type_error 1:9 Property 'link' does not exist on type '{ title?: string; }'.",
      ]);
      expect(await diagnosticsOf(executor.run('new Box(1).width'))).toStrictEqual([
        "type_error 1:12 Property 'width' does not exist on type 'Box'.",
      ]);
    }));

  test('are known across languages: types, enums and namespaces', () =>
    checked(async (executor) => {
      await executor.run('interface Trip { km: number } enum Unit { Km = "km" } namespace N { export const a = 1; }');
      await executor.run('const trip: Trip = { km: 5 }; const make = (km: number): Trip => ({ km });');
      expect((await executor.run('[trip.km, make(2).km, Unit.Km, N.a]')).output).toStrictEqual([5, 2, 'km', 1]);
      expect(await diagnosticsOf(executor.run('trip.miles'))).toStrictEqual([
        "type_error 1:6 Property 'miles' does not exist on type 'Trip'.",
      ]);
    }));

  test('are replaced by later ones of the same name', () =>
    checked(async (executor) => {
      await executor.run('let total = 1; const twice = () => total * 2;');
      await executor.run('let total = "3";');
      expect((await executor.run('[total.length, twice().toFixed()]')).output).toStrictEqual([1, '6']);
      expect(await diagnosticsOf(executor.run('total.toFixed()'))).toStrictEqual([
        "type_error 1:7 Property 'toFixed' does not exist on type 'string'. Did you mean 'fixed'?",
      ]);
    }));

  test('may be assigned values of other types', () =>
    checked(async (executor) => {
      await executor.run('let best = null; let count = 0;');
      await executor.run('best = (await search({ query: "a" }))[0]; count += 1;');
      expect((await executor.run('[best.title, count]')).output).toStrictEqual(['a', 1]);
    }));

  test('may be anything after a run that failed', () =>
    checked(async (executor) => {
      await executor.run('let state = { a: 1 };');
      await rejection(executor.run('throw 1; let state = "text";'));
      expect((await executor.run('[state.a, state.length]')).output).toStrictEqual([1, undefined]);
    }));

  test('of a program that was refused do not exist', () =>
    checked(async (executor) => {
      await rejection(executor.run(`const later = 1; ${WRONG}`));
      expect(await diagnosticsOf(executor.run('later'))).toStrictEqual(["type_error 1:1 Cannot find name 'later'."]);
      await rejection(executor.run('const later = 1; let a; let a;'));
      expect(await diagnosticsOf(executor.run('later'))).toStrictEqual(["type_error 1:1 Cannot find name 'later'."]);
    }));

  test('of a program that was not checked are not reported as missing', () =>
    checked(async (executor) => {
      await executor.run('const unchecked = 1;', { typecheck: 'off' });
      expect((await executor.run('unchecked')).output).toBe(1);
    }));

  test('include members that a run has added', () =>
    checked(async (executor) => {
      await executor.run('const hits = await search({ query: "a" }); hits.forEach((hit) => { hit.rank = 1; });');
      expect((await executor.run('hits[0].rank')).output).toBe(1);
    }));

  test('are forgotten with the isolate', () =>
    checked(async (executor) => {
      await executor.run('const old = 1;');
      await executor.cleanup();
      await executor.init();
      expect(await diagnosticsOf(executor.run('old'))).toStrictEqual(["type_error 1:1 Cannot find name 'old'."]);
    }));

  test('stay known after 250 runs, the oldest functions without a type', () =>
    checked(async (executor) => {
      for (let i = 0; i < 250; i++) {
        const declared =
          i === 0
            ? 'const v0 = 1; const f0 = () => 1;'
            : `const v${i} = v${i - 1} + 1; const f${i} = () => f${i - 1}();`;
        await executor.run(declared);
      }
      expect((await executor.run('[v0, v249, f0(), f249(), f0.anything]')).output).toStrictEqual([
        1,
        250,
        1,
        1,
        undefined,
      ]);
      expect(await diagnosticsOf(executor.run('v249.anything'))).toStrictEqual([
        "type_error 1:6 Property 'anything' does not exist on type 'number'.",
      ]);
    }));
});

describe('the host', () => {
  test('sends variables whose types follow from their values', () =>
    checked(async (executor) => {
      await executor.sendVariables({
        rows: [
          { id: 1, tags: ['a'] },
          { id: 2, price: 5 },
        ],
        date: new Date(0),
        empty: null,
      });
      await executor.run('[rows[0].price, rows[1].tags, date.getTime(), empty.anything]').catch(() => {});
      expect(await diagnosticsOf(executor.run('rows[0].cost'))).toStrictEqual([
        "type_error 1:9 Property 'cost' does not exist on type '{ id: number; tags?: string[]; price?: number; }'.",
      ]);
      await executor.sendVariables({ rows: 'text' });
      expect((await executor.run('rows.length')).output).toBe(4);
    }));

  test('replaces what a run has declared under the same name', () =>
    checked(async (executor) => {
      await executor.run('const config = 1;');
      await executor.sendVariables({ config: { a: 1 } });
      await executor.sendTools({ config: async () => 1 });
      await executor.run('await config(1, 2)').catch(({ code }) => expect(code).not.toBe('ERR_VALIDATION_FAILED'));
    }));

  test('has tools without schemas, which take anything', () =>
    withExecutor(
      { typecheck: 'error' },
      { plain: (a) => a, wait: blocking(async () => 5), web: { get: async () => ({ a: 1 }) } },
      async (executor) => {
        expect((await executor.run('[plain(1, 2), wait().toFixed(), (await web.get("x", 1)).a]')).output).toStrictEqual(
          [1, '5', 1],
        );
        expect(await diagnosticsOf(executor.run('web.post()'))).toStrictEqual([
          "type_error 1:5 Property 'post' does not exist on type '{ get(...args: any[]): Promise<any>; }'.",
        ]);
      },
    ));

  test('has modules, whose exports are known', () =>
    checked(
      async (executor) => {
        const code = 'const units = await import("units"); const store = await import("store");';
        expect(
          (
            await executor.run(
              `${code} [units.toMiles(1), store.version, (await store.find(1)).id, (await import("none")).x]`,
            )
          ).output,
        ).toStrictEqual([2, 3, 1, undefined]);
        expect(await diagnosticsOf(executor.run(`${code} units.toMile(1)`))).toStrictEqual([
          `type_error 1:81 Property 'toMile' does not exist on type 'typeof import("units")'. Did you mean 'toMiles'?`,
        ]);
        expect(await diagnosticsOf(executor.run(`${code} store.version.major`))).toStrictEqual([
          "type_error 1:89 Property 'major' does not exist on type 'number'.",
        ]);
      },
      {
        authorizedImports: ['units', 'store', 'none'],
        modules: {
          units: 'export const toMiles = (km) => km * 2;',
          store: { version: 3, find: async (id) => ({ id }) },
        },
      },
    ));

  test('keeps the order of its calls while a program is checked', () =>
    checked(
      async (executor) => {
        const outcomes = await Promise.all([
          executor.run('let n = 1; n'),
          executor.sendVariables({ late: 10 }),
          executor.run('n + late'),
          executor.run('n += 1', { typecheck: 'off' }),
          executor.run('n + late'),
        ]);
        expect(outcomes.map((outcome) => outcome?.output)).toStrictEqual([1, undefined, 11, 2, 12]);
      },
      { runConcurrency: 'queue', maxQueuedRuns: 8 },
    ));

  // The names were known only after the isolate had them, and the program was refused.
  test('knows variables and tools that wait for their turn before the program does', () =>
    checked(
      async (executor) => {
        const { tool, called, open } = gateTool();
        await executor.sendTools({ wait: tool });
        const first = executor.run('await wait(); 1');
        await called;
        const sent = [executor.sendVariables({ late: 10 }), executor.sendTools({ double: async (n) => 2 * n })];
        const second = executor.run('double(late)');
        // The program has been checked when a later check ends.
        for (let i = 0; i < 2; i++) await checkTypes('1');
        open();
        expect((await Promise.all([first, second, ...sent])).map((outcome) => outcome?.output)).toStrictEqual([
          1,
          20,
          undefined,
          undefined,
        ]);
      },
      { runConcurrency: 'queue', maxQueuedRuns: 8 },
    ));

  test('gets ERR_INVALID_STATE for a second run, as without checks', () =>
    checked(async (executor) => {
      const { tool, called, open } = gateTool();
      await executor.sendTools({ wait: tool });
      const first = executor.run('await wait(); 1');
      await called;
      await expectCode(executor.run('2'), 'ERR_INVALID_STATE');
      open();
      expect((await first).output).toBe(1);
    }));

  test('can abort a run while it is checked', () =>
    checked(async (executor) => {
      const aborter = new AbortController();
      const run = executor.run('1', { signal: aborter.signal });
      aborter.abort(new Error('no longer needed'));
      const { details } = await expectCode(run, 'ERR_EXEC_TIMEOUT');
      expect(details.reason).toBe('no longer needed');
      expect((await executor.run('1')).output).toBe(1);
    }));
});

describe('a code tool', () => {
  const tools = {
    'get-weather': {
      inputSchema: z.object({ city: z.string(), days: z.number().optional() }),
      outputSchema: z.object({ temperature: z.number() }),
      execute: ({ city }) => ({ temperature: city.length }),
    },
    now: () => 5,
  };

  test('checks arguments and results against the schemas of its tools', async () => {
    const tool = createCodeTool({ tools, typecheck: 'error' });
    const messages = async (code) => (await tool.execute(code)).error?.diagnostics.map(({ message }) => message);
    expect(await messages('await get_weather({ town: "Oslo" })')).toStrictEqual([
      "Object literal may only specify known properties, and 'town' does not exist in type '{ city: string; days?: number; }'.",
    ]);
    expect(await messages('(await get_weather({ city: "Oslo" })).temp')).toStrictEqual([
      "Property 'temp' does not exist on type '{ temperature: number; }'.",
    ]);
    expect((await tool.execute('(await get_weather({ city: "Oslo" })).temperature + (await now())')).output).toBe(9);
  });

  test.each([
    ['an object', '{ a: 1, b: await get_weather({ city: 5 }) }', 1, 32],
    ['a function', 'async function main() {\n  return (await get_weather({ city: "a" })).temp;\n}', 2, 45],
    ['an export', 'export default async () => {\n  return get_weather({ cty: "a" });\n}', 2, 24],
    ['a fence', 'Here:\n```ts\nconst city: number = 5;\nawait get_weather({ city })\n```', 4, 21],
  ])('names positions in %s as the model wrote it', async (_, code, line, column) => {
    const { error } = await createCodeTool({ tools, typecheck: 'error' }).execute(code);
    expect(error.code).toBe('ERR_VALIDATION_FAILED');
    expect({ line: error.line, column: error.column }).toStrictEqual({ line, column });
    expect(error.codeFrame).toContain(`${line} | ${code.split('\n')[line - 1]}`);
  });

  test('with a shared executor, knows the declarations of earlier calls', async () => {
    const executor = new SESExecutor({ typecheck: 'error' });
    const tool = createCodeTool({ tools, executor });
    await tool.execute('const weather = await get_weather({ city: "Oslo" });');
    expect((await tool.execute('weather.temperature')).output).toBe(4);
    expect((await tool.execute('weather.temp')).error.code).toBe('ERR_VALIDATION_FAILED');
    await executor.cleanup();
  });
});

describe('checkTypes', () => {
  test('reports mistakes with their fixes', async () => {
    expect(await checkTypes(WRONG, { tools: { search: SEARCH } })).toStrictEqual([
      {
        rule: 'type_error',
        severity: 'ERROR',
        message: MISSPELT,
        location: { line: 1, column: 16 },
        fix: 'Write `query`',
      },
    ]);
  });

  test('takes lists of tools, functions, namespaces, variables and modules', async () => {
    const options = {
      tools: [{ ...SEARCH, name: 'find-all' }],
      variables: { rows: [{ a: 1 }] },
      modules: { units: 'export const a = 1;' },
      authorizedImports: ['units'],
    };
    expect(
      await checkTypes('(await find_all({ query: "a" }))[0].title; rows[0].a; (await import("units")).a', options),
    ).toStrictEqual([]);
    expect(found(await checkTypes('rows[0].b', options))).toStrictEqual([
      "type_error 1:9 Property 'b' does not exist on type '{ a: number; }'.",
    ]);
    expect(await checkTypes('f(1); await n.g()', { tools: { f: (a) => a, n: { g: async () => 1 } } })).toStrictEqual(
      [],
    );
  });

  test('finds nothing in code that does not parse', async () => {
    expect(await checkTypes('const = 1')).toStrictEqual([]);
  });

  test('rejects wrong arguments', async () => {
    await expect(checkTypes(5)).rejects.toThrow(new TypeError('code must be a string, got 5'));
    await expect(checkTypes('1', { tool: {} })).rejects.toThrow(
      'options.tool is not an option; did you mean options.tools?',
    );
    await expect(checkTypes('1', { tools: [{}] })).rejects.toThrow(
      new TypeError('a tool in options.tools must have a name, a non-empty string, got undefined'),
    );
  });
});
