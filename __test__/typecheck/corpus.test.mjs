import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { SESExecutor, checkTypes } from '../../index.mjs';
import { correctPrograms, mistakes } from './corpus/programs.mjs';
import { modules, tools, variables } from './corpus/tools.mjs';
import { NATIVE, WITH_API, WITH_API_6, sharedChecker, useTypeScript } from './helpers.mjs';

const options = { tools, variables, modules, authorizedImports: Object.keys(modules) };
const correct = correctPrograms();
const wrong = mistakes();
/** Mistakes that TypeScript does not report without `noImplicitAny`. */
const NOT_FOUND = ['mistakes.js: new of a function of the host'];

async function refused(programs) {
  const found = [];
  for (const { title, code } of programs) {
    for (const { location, message } of await checkTypes(code, options))
      found.push(`${title}:${location?.line} ${message}`);
  }
  return found;
}

async function missed(programs) {
  const titles = [];
  for (const { title, code, line } of programs) {
    const found = await checkTypes(code, options);
    if (!found.some(({ location }) => location?.line === line)) titles.push(title);
  }
  return titles;
}

/** Every fifth program: these compilers take ten times as long. */
const some = (programs) => programs.filter((_, i) => i % 5 === 0);

test('the corpus has at least 300 correct programs and 100 mistakes', () => {
  expect(correct.length).toBeGreaterThanOrEqual(300);
  expect(wrong.length).toBeGreaterThanOrEqual(100);
  expect(wrong.filter(({ line }) => line === 0)).toStrictEqual([]);
});

test('the correct programs run without a failure', async () => {
  const functions = Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [
      name,
      tool.execute ? async (input = {}) => tool.execute(input) : tool,
    ]),
  );
  const failures = [];
  const { authorizedImports } = options;
  for (let from = 0; from < correct.length; from += 25) {
    const executor = new SESExecutor({ autoInit: true, maxOperations: Infinity, modules, authorizedImports });
    await executor.sendVariables(variables);
    await executor.sendTools(functions);
    for (const { title, code } of correct.slice(from, from + 25)) {
      await executor.run(code).catch(({ message }) => failures.push(`${title}: ${message}`));
    }
    await executor.cleanup();
  }
  expect(failures).toStrictEqual([]);
});

describe('with the server of TypeScript 7', () => {
  beforeAll(() => useTypeScript(NATIVE));
  afterAll(() => sharedChecker().end());

  test('no correct program is refused', async () => {
    expect(await refused(correct)).toStrictEqual([]);
  });

  test('mistakes are found on their lines, except for known ones', async () => {
    expect(await missed(wrong)).toStrictEqual(NOT_FOUND);
  });
});

describe.each([
  ['5', WITH_API],
  ['6', WITH_API_6],
])('with the API of TypeScript %s', (_, packageName) => {
  beforeAll(() => useTypeScript(packageName));
  afterAll(() => sharedChecker().end());

  test('no correct program is refused', async () => {
    expect(await refused(some(correct))).toStrictEqual([]);
  });

  test('the same mistakes are found', async () => {
    expect(await missed(some(wrong))).toStrictEqual([]);
  });
});
