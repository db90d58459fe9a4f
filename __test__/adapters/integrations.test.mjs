// What integrations.test-d.ts states of the declarations holds in ES modules, too, and so do programs of the guides.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import ts from 'typescript';

import { ROOT } from '../helpers.mjs';

const HERE = join(ROOT, '__test__', 'adapters');

/**
 * What TypeScript finds in files that there are only here, by their paths, compiled as those of
 * tsconfig.integrations.json.
 */
function findingsIn(files, more = {}) {
  const { options } = ts.getParsedCommandLineOfConfigFile(join(ROOT, 'tsconfig.integrations.json'), more, ts.sys);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (file) => Object.hasOwn(files, file) || fileExists(file);
  host.readFile = (file) => (Object.hasOwn(files, file) ? files[file] : readFile(file));
  const program = ts.createProgram(Object.keys(files), options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}

test('the declarations also fit their packages in ES modules', () => {
  const guide = readFileSync(join(ROOT, 'docs/guide/langchain.md'), 'utf8');
  const [example] = /(?<=```js\n)import \{ tool \} from '@langchain\/core\/tools';.*?(?=```)/s.exec(guide);
  const files = {
    [join(HERE, 'integrations.mts')]: readFileSync(join(HERE, 'integrations.test-d.ts'), 'utf8'),
    [join(HERE, 'langchain-guide.mts')]: example,
  };
  expect(findingsIn(files)).toStrictEqual([]);
});

test('TypeScript programs in the guides have no type errors', () => {
  const folder = join(ROOT, 'docs/guide');
  const programs = readdirSync(folder).flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/^```ts\n(.*?)^```/gms)].map(([, text], index) => [
      join(HERE, `${name}-${index}.mts`),
      text,
    ]),
  );
  expect(programs.length).toBeGreaterThan(2);
  expect(findingsIn(Object.fromEntries(programs))).toStrictEqual([]);
});

test('options may be undefined with `exactOptionalPropertyTypes`', () => {
  const program = `import { SESExecutor, type ExecutorOptions } from 'ses-executor';
    import { PyodideExecutor } from 'ses-executor/python';
    import { SandboxManager } from 'ses-executor/sandbox';
    type Given<T> = { [K in keyof T]: T[K] | undefined };
    export async function main(signal: AbortSignal | undefined, ms: number | undefined, given: Given<ExecutorOptions>) {
      await new SESExecutor(given).run('1', { signal, timeoutMs: ms, toolTimeoutMs: ms, maxOperations: ms });
      await new PyodideExecutor().run('1', { signal });
    }
    export const execute = (manager: SandboxManager<any>, signal: AbortSignal | undefined) =>
      manager.executeCode('1', { signal });`;
  const files = { [join(HERE, 'exact.mts')]: program };
  expect(findingsIn(files, { exactOptionalPropertyTypes: true })).toStrictEqual([]);
});
