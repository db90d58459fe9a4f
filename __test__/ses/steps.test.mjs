// Sessions of generated steps, of which some come again: names that are declared again and again, and functions of all
// steps that read, write and call them. A script of Node.js that declares everything by `var` has one variable by a
// name, too, so that it says what each step has to give.

import vm from 'node:vm';

import { expect, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import fc from '../fast-check.mjs';

const SESSIONS = 400;
const NUMBERS = ['a', 'b', 'c'];
/** Each calls only those behind it. */
const FUNCTIONS = ['f', 'g', 'h'];
/** Stands for how a name is declared at the top level. */
const DECLARED = /\0(?:let|const|var) /g;

const nat = fc.nat({ max: 9 });
const pick = (...options) =>
  fc.oneof(...options.map((option) => (typeof option === 'string' ? fc.constant(option) : option)));
const text = (strings, ...parts) =>
  fc.tuple(...parts).map((values) => strings.reduce((out, string, i) => out + string + (values[i] ?? ''), ''));
const lines = (statement, maxLength = 4) => fc.array(statement, { maxLength }).map((list) => list.join(' '));

/** What may be in a function that calls only `callees`, or in a step. */
function statements(callees) {
  const number = fc.constantFrom(...NUMBERS);
  const call = callees.length === 0 ? nat : text`${fc.constantFrom(...callees)}(${nat})`;
  const value = pick(
    nat,
    number,
    call,
    text`(${number} + ${nat}) % 97`,
    text`(${number} = ${nat}) + ${number}`,
    text`typeof ${number}`.map((code) => `(${code}).length`),
  );
  const sum = pick(value, text`${value} + ${value}`, text`[${value}, ${value}].reduce((a, b) => a + b)`);
  const simple = pick(
    text`${number} = ${sum};`,
    text`${number} += ${value};`,
    text`${number}++;`,
    text`[${number}, ${number}] = [${value}, ${value}];`,
    text`({ ${number}, x: ${number} } = { a: ${nat}, b: ${nat}, c: ${nat}, x: ${value} });`,
    text`{ let ${number} = ${nat}; ${number} = ${nat}; }`,
    text`((${number}) => { ${number}++; })(${nat});`,
  );
  return pick(
    simple,
    text`if (${value} > ${nat}) { ${simple} } else ${simple}`,
    text`for (let i = 0; i < 3; i++) { ${simple} ${simple} }`,
    text`for (${number} of [${nat}, ${value}]) { ${simple} }`,
    text`try { ${simple} throw ${value}; } catch (${number}) { ${simple} }`,
  );
}

const step = fc
  .record({
    names: fc.uniqueArray(fc.constantFrom(...NUMBERS, ...FUNCTIONS), { maxLength: 4 }),
    kind: fc.constantFrom('let', 'var', 'const'),
    isPattern: fc.boolean(),
    start: nat,
    functionForm: fc.constantFrom('function', 'arrow', 'expression'),
    bodies: fc.tuple(
      ...FUNCTIONS.map(
        (_, i) => text`${lines(statements(FUNCTIONS.slice(i + 1)))} return ${fc.constantFrom(...NUMBERS)} + n;`,
      ),
    ),
    rest: fc.array(statements(FUNCTIONS), { maxLength: 5 }),
    waits: fc.boolean(),
  })
  .map((parts) => (isFirst) => stepOf(parts, isFirst));

function stepOf({ names, kind, isPattern, start, functionForm, bodies, rest, waits }, isFirst) {
  const declared = isFirst ? [...NUMBERS, ...FUNCTIONS] : names;
  // What the step assigns to cannot be a constant of it.
  const numberKind = kind === 'const' ? 'let' : kind;
  const numbers = declared.filter((name) => NUMBERS.includes(name));
  const values = numbers.map((_, i) => start + i);
  const head =
    isPattern && numbers.length > 0
      ? [`\0${numberKind} [${numbers.join(', ')}] = [${values.join(', ')}];`]
      : numbers.map((name, i) => `\0${numberKind} ${name} = ${values[i]};`);
  for (const name of declared.filter((one) => FUNCTIONS.includes(one))) {
    const body = bodies[FUNCTIONS.indexOf(name)];
    if (functionForm === 'function') head.push(`function ${name}(n) { ${body} }`);
    else if (functionForm === 'arrow') head.push(`\0${kind} ${name} = (n) => { ${body} };`);
    else head.push(`\0${kind} ${name} = function (n) { ${body} };`);
  }
  const middle = waits ? [...rest.slice(0, 2), '\0await ', ...rest.slice(2)] : rest;
  return [...head, ...middle, '[a, b, c, f(1), g(2), h(3), a, b, c];'].join('\n');
}

const inGuest = (code) => code.replaceAll('\0await ', 'await null;').replaceAll('\0', '');
const inNode = (code) => code.replaceAll('\0await ', '').replaceAll(DECLARED, 'var ');

test('steps that redeclare names behave as if each name were one variable', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 5 }),
      fc.array(nat, { maxLength: 8 }),
      async (makers, again) => {
        const steps = makers.map((make, i) => make(i === 0));
        const codes = [...steps, ...again.map((number) => steps[number % steps.length])];
        const executor = new SESExecutor({ autoInit: true });
        const context = vm.createContext({});
        try {
          for (const [index, code] of codes.entries()) {
            const { output } = await executor.run(inGuest(code));
            const expected = JSON.parse(
              vm.runInContext(`JSON.stringify(eval(${JSON.stringify(inNode(code))}))`, context),
            );
            expect(
              output,
              codes
                .slice(0, index + 1)
                .map(inGuest)
                .join('\n// ---\n'),
            ).toStrictEqual(expected);
          }
        } finally {
          await executor.cleanup();
        }
      },
    ),
    { numRuns: SESSIONS },
  );
});
