// attack: a thousand moves, removals and reads that nobody waits for, of a run that ends at once
// outcome: value 'what was begun ended, nothing else was done, and the folder can be used'
// state: READY
// options: {"timeoutMs":20000,"maxToolCalls":5000}
import { readdirSync } from 'node:fs';

import { withFiles } from './files.mjs';

export const scenario = withFiles(async ({ executor }, { root, outside }) => {
  await executor.run("for (let i = 0; i < 50; i++) await write('a' + i + '/b', 'x'.repeat(1e5))", { maxOperations: 1e9 });
  await executor.run(`
    for (let i = 0; i < 1000; i++) {
      move('a' + (i % 50), 'm' + i + '/deep/er').catch(() => {});
      remove('m' + i, true).catch(() => {});
      readBytes('a' + (i % 50) + '/b').catch(() => {});
    }
    return 1;`);
  const { output } = await executor.run("await write('last', 'x'); return [await readText('last'), (await stat('last')).type]");
  const isFine = output.join() === 'x,file' && readdirSync(outside).join() === 'secret' && readdirSync(root).includes('last');
  return `value '${isFine ? 'what was begun ended, nothing else was done, and the folder can be used' : output}'`;
});
