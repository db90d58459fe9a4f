// Bounds of Python's memory: checks in the host's process, SIGSEGV in a worker process
// (crates/engine/src/platform/traps.rs).

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { spawnProgram } from '../helpers.mjs';
import { FIRST_START_MS } from './suite.mjs';

const LIBRARY = new URL('../../build/python/index.js', import.meta.url).pathname;

/** A module of WebAssembly whose `f` reads at 1 MiB, of a memory of 64 KiB. */
const OUT_OF_BOUNDS = [
  [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7f, 3, 2, 1, 0, 5, 3, 1, 0, 1, 7, 5, 1, 1, 0x66, 0, 0],
  [10, 12, 1, 10, 0, 0x41, 0x80, 0x80, 0xc0, 0, 0x28, 2, 0, 0x0b],
].flat();

const PRELUDE = `
const { PyodideExecutor } = require(${JSON.stringify(LIBRARY)});
const own = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(${JSON.stringify(OUT_OF_BOUNDS)})));
const trap = () => { try { own.exports.f(); return 'no trap'; } catch (error) { return error.constructor.name; } };
const open = async (options) => {
  const executor = new PyodideExecutor(['*'], { mount: false, ...options });
  await executor.init();
  return executor;
};
// Addresses far after the end of the memory, which has at most 256 MiB: reading, and writing.
const WILD = [
  'import ctypes\\nctypes.string_at(0xF0000000, 8)',
  'import ctypes\\nctypes.memset(0xFFFF0000, 1, 8)',
];
const failure = (executor, code) => executor.run(code).then(() => 'no failure', (error) => error);
`;

/** What a Node.js process prints that does `program`, and how it ends. `limits`: arguments of `ulimit`. */
async function inProcess(program, limits, env = {}) {
  const script = `${PRELUDE}(async () => {${program}})().catch((error) => console.log(error));`;
  const [command, args] =
    limits === undefined
      ? [process.execPath, ['-e', script]]
      : ['/bin/sh', ['-c', `ulimit ${limits} && exec "$0" -e "$1"`, process.execPath, script]];
  const { stdout, ...rest } = await spawnProgram(command, args, { timeoutMs: FIRST_START_MS, env });
  return { said: stdout.trim().split('\n'), ...rest };
}

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('P17 SIGSEGV', () => {
  test.each(['thread', 'process'])(
    "isolation: '%s': an access outside Python's memory fails the run, and the host's own WebAssembly keeps its traps",
    async (isolation) => {
      const { said, status, stderr } = await inProcess(`
      console.log(trap());
      const executor = await open({ isolation: ${JSON.stringify(isolation)} });
      console.log(trap());
      for (const wild of WILD) {
        console.log((await failure(executor, wild)).code);
        console.log(trap());
        console.log((await executor.run('1 + 1')).output);
      }
      await executor.cleanup();
      console.log(trap());
    `);
      const one = ['ERR_RUNTIME_EXCEPTION', 'RuntimeError', '2'];
      expect({ said, status }, stderr).toStrictEqual({
        said: ['RuntimeError', 'RuntimeError', ...one, ...one, 'RuntimeError'],
        status: 0,
      });
    },
    FIRST_START_MS,
  );

  test(
    'still ends the host when the host crashes',
    async () => {
      const { said, signal } = await inProcess(`
      const executor = await open();
      console.log((await executor.run('1 + 1')).output);
      process.kill(process.pid, 'SIGSEGV');
      setInterval(() => {}, 1e3);
    `);
      expect([said, signal]).toStrictEqual([['2'], 'SIGSEGV']);
    },
    FIRST_START_MS,
  );

  test.each(['before', 'after'])(
    'reaches a handler that the host installed %s the first executor, and no other',
    async (when) => {
      const { said, status } = await inProcess(`
      const listen = () => process.on('SIGSEGV', () => { console.log('received'); process.exit(0); });
      if (${when === 'before'}) listen();
      const executors = [await open(), await open({ isolation: 'process' })];
      if (${when === 'after'}) listen();
      for (const executor of executors) {
        console.log((await failure(executor, WILD[1])).code);
        console.log((await executor.run('1 + 1')).output);
      }
      process.kill(process.pid, 'SIGSEGV');
      setInterval(() => {}, 1e3);
    `);
      const one = ['ERR_RUNTIME_EXCEPTION', '2'];
      expect({ said, status }).toStrictEqual({ said: [...one, ...one, 'received'], status: 0 });
    },
    FIRST_START_MS,
  );

  test(
    'decides which machine code is used: executors on threads and in processes have different snapshots',
    async () => {
      const cache = mkdtempSync(join(tmpdir(), 'snapshots-'));
      const images = () => readdirSync(join(cache, 'ses-executor', 'python')).filter((name) => name.endsWith('.image'));
      try {
        const found = [];
        for (const isolation of ['process', 'thread', 'process']) {
          const { said, status, stderr } = await inProcess(
            `const executor = await open({ isolation: ${JSON.stringify(isolation)} });
            console.log((await executor.run('sum(range(1000))')).output);
            process.exit(0);`,
            undefined,
            { XDG_CACHE_HOME: cache },
          );
          expect({ said, status }, stderr).toStrictEqual({ said: ['499500'], status: 0 });
          found.push(images().length);
        }
        expect(found).toStrictEqual([1, 2, 2]);
      } finally {
        rmSync(cache, { recursive: true });
      }
    },
    3 * FIRST_START_MS,
  );

  test(
    'a process with too little address space for V8 gets an error that says so',
    async () => {
      const { said, status } = await inProcess(
        `
      for (const isolation of ['thread', 'process']) {
        const error = await open({ isolation }).catch((thrown) => thrown);
        console.log(error.code);
        console.log(\`\${error.message} \${error.details?.reason}\`.includes("raise the process's limit (ulimit -v, RLIMIT_AS)"));
      }
      process.exit(0);
    `,
        '-v 16000000',
      );
      expect({ said, status }).toStrictEqual({
        said: ['ERR_SES_INIT_FAILED', 'true', 'ERR_WORKER_LOST', 'true'],
        status: 0,
      });
    },
    FIRST_START_MS,
  );

  test(
    'a process with limited address space has more memories than it could have without bounds checks',
    async () => {
      const { said, status, stderr } = await inProcess(
        `
      const executors = await Promise.all(Array.from({ length: 7 }, () => open()));
      console.log((await failure(executors[0], WILD[0])).code);
      for (const executor of executors) console.log((await executor.run('1 + 1')).output);
      process.exit(0);
    `,
        // 61 GiB, which is less than seven memories would reserve.
        '-v 64000000',
      );
      expect({ said, status }, stderr).toStrictEqual({
        said: ['ERR_RUNTIME_EXCEPTION', ...Array(7).fill('2')],
        status: 0,
      });
    },
    FIRST_START_MS,
  );
});
