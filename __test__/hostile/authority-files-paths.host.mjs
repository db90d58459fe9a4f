// attack: every tool for files with paths that lead out of the folder, or that no system has
// outcome: value []
// state: READY
// options: {"timeoutMs":20000}
import { readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { withFiles } from './files.mjs';

export const scenario = withFiles(async ({ executor }, { root, outside }) => {
  symlinkSync(outside, join(root, 'link'));
  symlinkSync(join(outside, 'secret'), join(root, 'file'));
  symlinkSync('loop', join(root, 'loop'));
  const { output } = await executor.run(
    `
    const OUTSIDE = ${JSON.stringify(outside)};
    const paths = ['../outside/secret', 'a/../../outside/secret', OUTSIDE + '/secret', 'link/secret', 'file', 'loop',
      'file:///etc/passwd', '/etc/passwd', '/proc/self/environ', '~/x', 'a\0/../../outside/secret', '..\\outside\\secret',
      '', '.', '..', '/', './/..//outside/secret', 'x'.repeat(5000), 'd/'.repeat(3000), '\ud800', 'link/../link/secret'];
    await write('mine', 'mine');
    const leaks = [];
    for (const path of paths) {
      const calls = [read(path), readText(path), readJson(path), readLines(path), readBytes(path), grep('secret', path), ls(path),
        find('secret', path), edit(path, 'secret', 'changed'), write(path + '/x', 'changed'), move('mine', path + '/y'),
        move(path, 'stolen' + leaks.length), remove(path + '/secret', true)];
      for (const [at, { value }] of (await Promise.allSettled(calls)).entries()) {
        const text = JSON.stringify(value instanceof Uint8Array ? [...value] : value) ?? '';
        // What a path inside has been given is no leak: results that name the file are.
        if (/secret(?!.*No files)/.test(text) && !text.includes('link') && !text.includes(path)) leaks.push([path, at, text]);
      }
    }
    return leaks;`,
    { maxOperations: 1e9 },
  );
  const isWhole = readFileSync(join(outside, 'secret'), 'utf8') === 'secret' && readdirSync(outside).length === 1;
  return `value ${JSON.stringify(isWhole ? output : readdirSync(outside))}`;
});
