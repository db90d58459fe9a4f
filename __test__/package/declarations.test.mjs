// The declarations that scripts/compile.mjs writes say what the modules export, and need nothing that callers do not
// have.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';

import ts from 'typescript';
import { describe, expect, test } from 'vitest';

import { ROOT } from '../helpers.mjs';

const require = createRequire(import.meta.url);
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** Paths of the modules and their declarations, by entry point. */
const ENTRIES = Object.entries(MANIFEST.exports)
  .filter(([path]) => path !== './package.json')
  .map(([path, target]) => {
    const { types, default: script } = target.require ?? target;
    return [path, { types: join(ROOT, types), script: join(ROOT, script) }];
  });
const DECLARATIONS = readdirSync(join(ROOT, 'build'), { recursive: true })
  .filter((path) => path.endsWith('.d.ts'))
  .map((path) => path.split(sep).join('/'));

const program = ts.createProgram(
  ENTRIES.map(([, { types }]) => types),
  { module: ts.ModuleKind.Node16, target: ts.ScriptTarget.ES2022, skipLibCheck: true, types: ['node'] },
);
const checker = program.getTypeChecker();

test.each(ENTRIES)('%s declares exactly its exports', (_path, { types, script }) => {
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(types)));
  const values = exported
    .map((symbol) => [symbol.name, symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol])
    .filter(([, symbol]) => symbol.flags & ts.SymbolFlags.Value)
    .map(([name]) => name)
    // A class that only its type is exported of.
    .filter((name) => name !== 'PythonSmolagentsExecutor');
  expect(values.sort()).toStrictEqual(Object.keys(require(script)).sort());
});

describe('the declarations', () => {
  test('exist for the modules of all entry points', () => {
    expect(ENTRIES.length).toBeGreaterThan(15);
    expect(ENTRIES.filter(([, { types }]) => !existsSync(types))).toStrictEqual([]);
  });

  test.each(DECLARATIONS)('of %s import only files of the package and optional peers', (path) => {
    const text = readFileSync(join(ROOT, 'build', path), 'utf8');
    const imports = ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName);
    const peers = [...Object.keys(MANIFEST.peerDependencies), '@anthropic-ai/sdk'];
    for (const name of imports) {
      if (name.startsWith('.')) {
        const target = relative(join(ROOT, 'build'), join(ROOT, 'build', dirname(path), name));
        expect(target.startsWith('..'), `${path} imports ${name}`).toBe(false);
      } else {
        expect(
          peers.some((peer) => name === peer || name.startsWith(`${peer}/`)),
          `${path} imports ${name}`,
        ).toBe(true);
      }
    }
  });

  test.each(DECLARATIONS)('of %s have no internal member', (path) => {
    expect(readFileSync(join(ROOT, 'build', path), 'utf8')).not.toContain('@internal');
  });
});
