// attack: JSON of 4 MB that takes long to parse, or to hand over: empty arrays, keys, nesting, escapes, numbers
// outcome: value 6
// state: READY
// options: {"timeoutMs":60000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 the values on both sides
// processPeak: 768 the values in the host, and on their way
import { withFiles } from './files.mjs';
import { unlessStalled } from './stalls.mjs';

export const scenario = withFiles((host) =>
  unlessStalled(host, async () => {
    const { output } = await host.executor.run(`
      const texts = [
        '[' + '[],'.repeat(1.3e6) + '0]',
        '[' + '{},'.repeat(1.3e6) + '0]',
        '{' + Array.from({ length: 3e5 }, (_, i) => '"k' + i + '":' + i).join() + '}',
        '['.repeat(2e6) + ']'.repeat(2e6),
        '["' + '\\u00e9'.repeat(6e5) + '"]',
        '[' + '1e400,'.repeat(6e5) + '0]',
      ];
      let done = 0;
      for (const text of texts) {
        await write('x', text.slice(0, 4e6));
        try { await readJson('x') } catch {}
        done++;
      }
      return done;`);
    return `value ${output}`;
  }),
);
