// Where the system limits the address space of a process so far that V8 cannot be started: a coded failure, and nobody
// waits.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

/** KiB: enough for Node.js, and too little for what V8 reserves here. */
const LIMIT_KIB = 16_000_000;
const PACKAGE = fileURLToPath(new URL('../../index.mjs', import.meta.url));
const WHAT_TO_DO =
  "V8 cannot reserve the address space that it needs: raise the process's limit (ulimit -v, RLIMIT_AS), which counts " +
  'reserved memory and not used memory';

/** What a process prints as JSON that has so little. */
function limited(program) {
  const script = `import(${JSON.stringify(PACKAGE)}).then(async ({ SESExecutor, engineStats, validateCode }) => {
    const say = (value) => console.log(JSON.stringify(value));
    ${program}
  });`;
  const args = ['-c', `ulimit -v ${LIMIT_KIB} && exec "$0" -e "$1"`, process.execPath, script];
  const { stdout, status, signal } = spawnSync('/bin/sh', args, { encoding: 'utf8', timeout: 60_000 });
  return {
    status,
    signal,
    said: stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  };
}

describe.runIf(process.platform === 'linux')('too little address space', () => {
  it('refuses to start an executor and says how to raise the limit', () => {
    const program = `
      for (let i = 0; i < 2; i++) {
        const executor = new SESExecutor();
        say(await executor.init().then(() => 'READY', ({ code, message }) => ({ code, message })));
        await executor.cleanup();
      }
      say(engineStats().live);`;
    const refused = { code: 'ERR_SES_INIT_FAILED', message: `SES init failed: ${WHAT_TO_DO}` };
    expect(limited(program)).toStrictEqual({ status: 0, signal: null, said: [refused, refused, 0] });
  });

  it('refuses to start an executor in a separate process', () => {
    const program = `
      const executor = new SESExecutor({ isolation: 'process' });
      say(await executor.init().then(() => 'READY', ({ code, details }) => ({ code, says: details.reason })));
      await executor.cleanup();`;
    const { status, said } = limited(program);
    expect({ status, said }).toStrictEqual({
      status: 0,
      said: [{ code: 'ERR_WORKER_LOST', says: expect.stringContaining(WHAT_TO_DO) }],
    });
  });

  // A worker closed its pipe before it ended, and the host kills such a worker: in most cases it reported SIGKILL.
  it('reports how a worker process ended', () => {
    const program = `
      for (let i = 0; i < 10; i++) {
        const executor = new SESExecutor({ isolation: 'process', spares: 0 });
        say(await executor.init().then(() => 'READY', ({ details }) => details.reason.split(':')[0]));
      }`;
    const { status, said } = limited(program);
    expect({ status, said }).toStrictEqual({
      status: 0,
      said: Array(10).fill('the worker process ended with exit status 3'),
    });
  });

  it('refuses to validate code and reports the reason', () => {
    const { status, said } = limited(
      `say((await validateCode('1 + 1')).map(({ rule, severity }) => [rule, severity]));`,
    );
    expect({ status, said }).toStrictEqual({ status: 0, said: [[['not_checked', 'ERROR']]] });
  });
});
