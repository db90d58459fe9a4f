// attack: the process ends while guests loop, wait, block in a tool and are stuck in built-ins
// outcome: value [ 0, 0, 0, 0, 0 ]
// state: READY
// options: {"timeoutMs":14000}
import { spawnSync } from 'node:child_process';
import { inspect } from 'node:util';

const index = new URL('../../index.mjs', import.meta.url).href;
const exitOf = (code, ending) => {
  const script = `
    import { SESExecutor } from '${index}';
    const executor = new SESExecutor({ autoInit: true, maxOperations: 1e15, timeoutMs: 60_000 });
    let start;
    const started = new Promise((resolve) => (start = resolve));
    await executor.sendTools({
      started: () => start(),
      never: () => new Promise(() => {}),
      end: () => process.exit(0),
    });
    executor.run(${JSON.stringify(`started(); ${code}`)}).catch(() => {});
    await started;
    // What comes next in the guest says nothing of itself.
    setTimeout(() => { ${ending} }, 50);`;
  const child = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { timeout: 10_000 });
  return child.signal ?? (child.stderr.length > 0 ? String(child.stderr) : child.status);
};
export const scenario = async () => {
  const statuses = [
    exitOf('for (;;);', 'process.exit(0)'),
    exitOf('await never()', 'process.exit(0)'),
    exitOf('end()', ''),
    exitOf('return /^(a+)+$/.test("a".repeat(50) + "b")', 'process.exit(0)'),
    exitOf('for (;;);', 'executor.cleanup()'),
  ];
  return `value ${inspect(statuses, { breakLength: Infinity })}`;
};
