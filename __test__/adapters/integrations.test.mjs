// What integrations.test-d.ts states of the declarations holds in ES modules, too, and so does the README's program with LangChain.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import ts from 'typescript';

import { ROOT } from '../helpers.mjs';

const HERE = join(ROOT, '__test__', 'adapters');

/** What TypeScript finds in files that there are only here, by their paths, compiled as those of tsconfig.integrations.json. */
function findingsIn(files) {
  const { options } = ts.getParsedCommandLineOfConfigFile(join(ROOT, 'tsconfig.integrations.json'), {}, ts.sys);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (file) => Object.hasOwn(files, file) || fileExists(file);
  host.readFile = (file) => (Object.hasOwn(files, file) ? files[file] : readFile(file));
  const program = ts.createProgram(Object.keys(files), options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}

test('the declarations fit the packages that they are for in ES modules, too', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [example] = /(?<=```js\n)import \{ tool \} from '@langchain\/core\/tools';.*?(?=```)/s.exec(readme);
  const files = {
    [join(HERE, 'integrations.mts')]: readFileSync(join(HERE, 'integrations.test-d.ts'), 'utf8'),
    [join(HERE, 'readme.mts')]: example,
  };
  expect(findingsIn(files)).toEqual([]);
});
