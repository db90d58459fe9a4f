// Where the tests of test262 are read from: a checkout of it, or the folder `js/src/tests/test262` of SpiderMonkey's
// source, which distributions have as a package. SpiderMonkey writes a first line and a last one round each test, and
// puts the files of the harness together, for each folder those that its tests include.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Folders of tests. SpiderMonkey keeps additional tests next to them. */
const FOLDERS = ['annexB', 'built-ins', 'harness', 'intl402', 'language', 'staging'];
/** What SpiderMonkey's own host defines instead of this file of the harness. */
const DONE_PRINT_HANDLE = `function $DONE(error) {
  print(error ? 'Test262:AsyncTestFailure:' + (error.name ? error.name + ': ' + error.message : error) : 'Test262:AsyncTestComplete');
}`;

/**
 * @typedef {object} Checkout
 * @property {(path: string) => Generator<string>} filesBelow Tests at or below a path, as `test/language/…`.
 * @property {(file: string) => string | undefined} text Of a test, or of what lies beside it.
 * @property {(name: string) => string} harness Text of a file of the harness.
 * @property {() => string} version Its commit, and the day of that.
 */

/**
 * @param {string} root
 * @returns {Checkout | undefined} Without tests of test262 in that folder `undefined`.
 */
export function checkoutAt(root) {
  if (existsSync(join(root, 'harness/assert.js'))) return original(root);
  if (existsSync(join(root, 'shell.js'))) return spiderMonkeys(root);
  return undefined;
}

/** @param {string} root */
function original(root) {
  return {
    *filesBelow(path) {
      for (const file of scripts(root, path)) if (!file.endsWith('_FIXTURE.js')) yield file;
    },
    text: (file) => textAt(join(root, file)),
    harness: (name) => readFileSync(join(root, 'harness', name), 'utf8'),
    version: () =>
      execFileSync('git', ['-C', root, 'log', '-1', '--format=commit %H of %cs'], { encoding: 'utf8' }).trim(),
  };
}

/** @param {string} root */
function spiderMonkeys(root) {
  const folders = FOLDERS.filter((folder) => existsSync(join(root, folder)));
  const harness = new Map([['doneprintHandle.js', DONE_PRINT_HANDLE]]);
  const shells = ['shell.js', ...folders.flatMap((folder) => [...scripts(root, folder)])];
  for (const file of shells.filter((name) => posix.basename(name) === 'shell.js')) {
    const [, ...parts] = readFileSync(join(root, file), 'utf8').split(/^\/\/ file: (.*)\n/m);
    for (let i = 0; i < parts.length; i += 2) harness.set(parts[i], parts[i + 1]);
  }
  const inRoot = (file) => posix.relative('test', file);
  return {
    *filesBelow(path) {
      for (const folder of path === 'test' ? folders : [inRoot(path)]) {
        for (const file of scripts(root, folder)) {
          if (!/(?:^|\/)(?:shell|browser)\.js$|_FIXTURE\.js$/.test(file)) yield posix.join('test', file);
        }
      }
    },
    text: (file) => {
      const strict = file.endsWith('-strict.js');
      return textAt(join(root, inRoot(file)))
        ?.replace(/^\/\/ \|reftest\|.*\n/, '')
        .replace(strict ? /^'use strict';\n/ : '', '')
        .replace(/\nreportCompare\(0, 0\);\n$/, '');
    },
    harness: (name) => harness.get(name) ?? '',
    version: () => {
      const about = textAt(join(root, 'GIT-INFO')) ?? '';
      const [, commit, date] = /^commit (\w+)[^]*?^Date:\s*(.*)/m.exec(about) ?? [];
      return `commit ${commit} of ${new Date(date).toISOString().slice(0, 10)}`;
    },
  };
}

/** @param {string} file */
function textAt(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/**
 * The scripts at or below a path.
 *
 * @param {string} root
 * @param {string} path
 * @returns {Generator<string>}
 */
function* scripts(root, path) {
  if (path.endsWith('.js')) {
    yield path;
    return;
  }
  const entries = readdirSync(join(root, path), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isDirectory() || entry.name.endsWith('.js')) yield* scripts(root, posix.join(path, entry.name));
  }
}
