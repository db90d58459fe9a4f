// Thrown values that are not errors carry no position: they were reported without a place.

import { expect, test } from 'vitest';

import { expectCode, withExecutor } from '../helpers.mjs';

const failure = (code, options = {}, tools = {}) =>
  withExecutor(
    options,
    tools,
    async (executor) => (await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION')).details,
  );

test.each([
  ["const a = 1;\nthrow 'x';", 'x', 2, 1],
  ['throw `x${1}`', 'x1', 1, 1],
  ['\n  throw 42', '42', 2, 3],
  ['throw { code: 1 }', '{ code: 1 }', 1, 1],
  ['throw undefined', 'undefined', 1, 1],
  ['throw NaN', 'NaN', 1, 1],
  ["await null;\nthrow 'late'", 'late', 2, 1],
  ["function f() {\n  throw 'in f';\n}\nf();", 'in f', 2, 3],
  ["const f = async () => {\n  await 1;\n  throw 'in f';\n};\nawait f();", 'in f', 3, 3],
  ["const thrown = 'kept';\ntry {\n  throw thrown;\n} catch (error) {\n  throw error;\n}", 'kept', 3, 3],
  ["try {\n  throw 'first';\n} catch {}\nthrow 'second';", 'second', 4, 1],
  ['try { throw 1 } finally { 2 }', '1', 1, 7],
  ["let a;\nthrow a = 1, 'last'", 'last', 2, 1],
  ["let a;\ntry {\n  throw 'kept';\n} catch (error) {\n  throw a = 0, error;\n}", 'kept', 3, 3],
  ["function* f() {\n  throw yield 1;\n}\nconst g = f();\ng.next();\ng.next('sent');", 'sent', 2, 3],
  ["for (const i of [1, 2]) if (i === 2) throw 'loop'", 'loop', 1, 38],
])('the place of %j is reported', async (code, message, line, column) => {
  const details = await failure(code);
  expect(details).toMatchObject({ message, line, column });
  expect(details.codeFrame).toContain(code.split('\n')[line - 1].trim());
});

test('a value that a module throws has the place of the call', async () => {
  const modules = { m: "export const f = () => {\n\n  throw 'from m';\n};" };
  const details = await failure("const { f } = await import('m');\nf();", { authorizedImports: ['m'], modules });
  expect(details).toMatchObject({ message: 'from m', line: 2, column: 1 });
});

test('a thrown value has no place if another value was thrown after it', async () => {
  const details = await failure("const p = Promise.reject('a'); try { throw 'b' } catch {} await p;");
  expect(details.message).toBe('a');
  expect(details.line).toBeUndefined();
});

test('thrown errors keep their own places', async () => {
  expect(await failure("const error = new Error('x');\nthrow error;")).toMatchObject({
    message: 'x',
    line: 1,
    column: 15,
  });
  expect(await failure("throw new TypeError('x')")).toMatchObject({ message: 'x', line: 1, column: 7 });
});
