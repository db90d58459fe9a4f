// attack: a file of four million line ends as lines, five times
// outcome: value 5
// state: READY
// options: {"timeoutMs":60000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 the lines on both sides
// processPeak: 768 the lines in the host, and on their way
import { withFiles } from './files.mjs';
import { unlessStalled } from './stalls.mjs';

export const scenario = withFiles((host) =>
  unlessStalled(host, async () => {
    const { output } = await host.executor.run(`
      await write('lines', '\\n'.repeat(4e6));
      let done = 0;
      for (let i = 0; i < 5; i++) { try { await readLines('lines') } catch {} done++; }
      return done;`);
    return `value ${output}`;
  }),
);
