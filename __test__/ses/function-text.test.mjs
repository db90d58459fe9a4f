// The text of a function is what its author wrote, and not what runs: guards and notes in it were shown, and comments
// were gone.

import { expect, test } from 'vitest';

import { withExecutor } from '../helpers.mjs';

const texts = (code, options = {}) => withExecutor(options, {}, async (executor) => (await executor.run(code)).output);

test.runIf(process.platform === 'linux')('messages spell `import` as the program does', async () => {
  const code = "const name = 'm'; try { import(name)() } catch (error) { error.message }";
  expect(await texts(code)).toBe('import(...) is not a function');
});

test.each([
  ['a declaration', 'function f ( a,b ) { /* c */ for (;;) break }', 'f'],
  ['an async generator', 'async  function * f(a = 1) { yield await a }', 'f'],
  ['an expression', 'const f = function  g () { return (1) };', 'f', 'function  g () { return (1) }'],
  ['arrows', 'const f = a=>a ;', 'f', 'a=>a'],
  ['async arrows', 'const f = async  ( { a } )  => { throw a };', 'f', 'async  ( { a } )  => { throw a }'],
  ['a class', 'class A  extends Array { #a = 1 ; constructor ( ) { super() } static  m ( ) { return  1 } }', 'A'],
  ['a class without a constructor', 'class A { x = () => 1 }', 'A'],
  [
    'a static method of that class',
    'class A { static /* c */  async  m ( ) { while(0); } }',
    'A.m',
    'async  m ( ) { while(0); }',
  ],
  ['a private method', 'class A { static #p ( ) { } static get() { return A.#p } }', 'A.get()', '#p ( ) { }'],
  ['a method named static', 'class A { static static ( ) { } }', 'A.static', 'static ( ) { }'],
  ['methods', 'const o = { async * m ( ) { } , };', 'o.m', 'async * m ( ) { }'],
  ['computed method names', 'const o = { [ (() => "m")() ] ( ) { } };', 'o.m', '[ (() => "m")() ] ( ) { }'],
  [
    'accessors',
    'const o = { get  a ( ) { return 1 } };',
    'Object.getOwnPropertyDescriptor(o, "a").get',
    'get  a ( ) { return 1 }',
  ],
  [
    'nested functions',
    'function f() { return  [ x => { for (;;) return x } ] }',
    'f()[0]',
    'x => { for (;;) return x }',
  ],
  ['defaults', 'function f(a = function ( ) { for(;;) break }) { return a }', 'f()', 'function ( ) { for(;;) break }'],
  [
    'source text that is not ASCII',
    "const s = 'äöü𠮷'; function f() { return 'é𠮷' }",
    'f',
    "function f() { return 'é𠮷' }",
  ],
  ['a TypeScript function', 'function f<T>( a : T ) : T { return a }', 'f'],
])('%s shows its source text', async (_, code, name, text = code) => {
  expect(
    await texts(`${code}\n[String(${name}), ${name} + '', Function.prototype.toString.call(${name})]`),
  ).toStrictEqual([text, text, text]);
});

test('functions of modules and of earlier runs show their source text', async () => {
  const modules = { m: 'export  function f ( ) { for (;;) break }\nexport default class  { }' };
  await withExecutor({ authorizedImports: ['m'], modules }, {}, async (executor) => {
    const { output } = await executor.run("const m = await import('m'); [`${m.f}`, `${m.default}`]");
    expect(output).toStrictEqual(['function f ( ) { for (;;) break }', 'class  { }']);
    await executor.run('function g ( ) { while (0); }');
    expect((await executor.run('`${g}`')).output).toBe('function g ( ) { while (0); }');
  });
});

// The texts of SES's and of the engine's own functions told what they are made of.
test('functions that guests did not write show no source text', async () => {
  const code = `[Map, RegExp, Date, Error, Function, eval, console.log, final_answer, harden, URL, structuredClone,
    ''.localeCompare, Function.prototype.toString, RegExp.prototype[Symbol.split], Object.getOwnPropertyDescriptor(globalThis, 'own').get]
    .map((value) => Function.prototype.toString.call(value))`;
  expect(await texts(`let own = 1; function reader() { return own }\n${code}`)).toStrictEqual(
    [
      ...[
        'Map',
        'RegExp',
        'Date',
        'Error',
        'Function',
        'eval',
        'log',
        'final_answer',
        'harden',
        'URL',
        'structuredClone',
      ],
      ...['localeCompare', 'toString', '[Symbol.split]', 'get own'],
    ].map((name) => `function ${name}() { [native code] }`),
  );
});

test('a value that is not a function has no source text', async () => {
  const code = 'try { Function.prototype.toString.call({}) } catch (error) { `${error}` }';
  expect(await texts(code)).toBe("TypeError: Function.prototype.toString requires that 'this' be a Function");
  expect(await texts('Function.prototype.toString.call(new Proxy(() => {}, {}))')).toBe(
    'function () { [native code] }',
  );
  expect(await texts('String((function f() {}).bind(1))')).toBe('function () { [native code] }');
});

// SES's name for its constructor was in texts, names and frames.
test('names of the shim are invisible to guests', async () => {
  const code = `const seen = [];
    const look = (value) => seen.push(String(value), String(value.name), JSON.stringify(Object.getOwnPropertyDescriptors(value)));
    look(RegExp); look(RegExp.prototype.constructor); look(/a/.constructor); look(class A extends RegExp {}.__proto__);
    for (const make of [() => new RegExp('('), () => RegExp('('), () => new (class A extends RegExp {})('('), () => Reflect.construct(RegExp, ['('])]) {
      try { make() } catch (error) { seen.push(error.message, error.stack) }
    }
    seen.join('\\n')`;
  const seen = await texts(code);
  expect(seen).toContain('Invalid regular expression: /(/');
  expect(seen).not.toMatch(/feral|inert|shared/i);
});

// V8 shows the text of a function in its own messages: that of SES's constructors was in them, with the shim's names.
test('no message of the engine shows what the realm is made of', async () => {
  const code = `(() => { const seen = [];
    const mistakes = [(o) => delete o.length, (o) => { o.length = 1 }, (o) => { o.prototype = 1 }, (o) => Object.setPrototypeOf(o, {}),
      (o) => { o.extra = 1 }, (o) => o(), (o) => new o(), (o) => { class A extends o {} }, (o) => [...o], (o) => 1 in o.missing];
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      if (name === 'final_answer') continue;
      for (const place of [globalThis[name], globalThis[name]?.prototype]) {
        if (Object(place) !== place) continue;
        for (const mistake of mistakes) {
          try { mistake(place) } catch (error) { seen.push(String(error?.message)) }
        }
      }
    }
    return seen })()`;
  const seen = await texts(code);
  expect(seen.length).toBeGreaterThan(400);
  expect(seen.filter((message) => /feral|inert|shared|tame|original|__smol|%/i.test(message))).toStrictEqual([]);
  const shown = seen.filter((message) =>
    /^Cannot delete property 'length' of function (RegExp|Date|Error|Function|ArrayBuffer)\(/.test(message),
  );
  expect(shown).toHaveLength(5);
});

// So was the text of a guest's function as it runs, with its guards.
test('messages that show a function contain no guards', async () => {
  await withExecutor({}, {}, async (executor) => {
    const message = (code) => executor.run(code).then(expect.fail, (error) => error.details.message);
    const each = 'const each = (list) => { for (const x of list) console.log(x) };';
    expect(await message(`${each}\nclass Row extends each {}`)).toBe(
      'Class extends value (list) => { for (const x of list) console.log(x) } is not a constructor or null',
    );
    const frozen = `const f = Object.freeze(function f(n) { while (n-- > 0) { if (n === 3) break; console.log('${'x'.repeat(200)}') } return n });`;
    expect(await message(`${frozen}\ndelete f.length`)).toBe(
      "Cannot delete property 'length' of function f(n) { while (n-- > 0) { if (n === 3) break; console.log('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...<omitted>... }",
    );
    const caught = async (code) =>
      (await executor.run(`${each}\ntry { ${code} } catch (error) { console.log(error.message); error }`)).logs;
    expect(await caught('each.name = "x"')).toBe(
      "Cannot assign to read only property 'name' of function '(list) => { for (const x of list) console.log(x) }'",
    );
    expect(await caught('structuredClone({ each })')).toBe(
      '(list) => { for (const x of list) console.log(x) } could not be cloned.',
    );
    expect(await caught('class K { m() { while (false); } } K.prototype = {}')).toBe(
      "Cannot assign to read only property 'prototype' of function 'class K { m() { while (false); } }'",
    );
  });
});
