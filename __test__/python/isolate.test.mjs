// Python in its own isolate: the suite, and abilities that only an isolate has.

import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { PyodideExecutor } from '../../build/python/index.js';
import { expectCode, runChild } from '../helpers.mjs';
import { FIRST_START_MS, describePython, failureOf } from './suite.mjs';

describePython('Python in an isolate', {}, { startsFast: true, mounts: true });

/** An executor whose code is held by `limits` alone: it may import everything, and nothing is counted. */
async function unguarded(limits) {
  const executor = new PyodideExecutor(['*'], {
    mount: false,
    max_operations: 1e12,
    max_while_iterations: 1e12,
    ...limits,
  });
  await executor.init();
  return executor;
}

describe('P18 deadlines', () => {
  /** @type {PyodideExecutor} */
  let executor;
  beforeAll(async () => {
    executor = await unguarded({ timeoutMs: 300 });
  }, FIRST_START_MS);
  /** Of runs that are to end before. */
  const LONG = { timeoutMs: 30_000 };
  afterAll(() => executor.cleanup());

  test.each([
    'while True: pass',
    'while True:\n    try:\n        while True: pass\n    except BaseException:\n        pass',
    'x = pow(3, 10**9)',
    'x = 9 ** 9 ** 9',
    'sum(range(10**12))',
    'import re\nre.match(r"(a+)+$", "a" * 64 + "b")',
    'max(iter(int, 1))',
    'import itertools, collections\ncollections.deque(itertools.count(), maxlen=0)',
    'class D:\n    def __del__(self):\n        while True: pass\nD()\nwhile True: pass',
    'import time\ntime.sleep(1000)',
    'import asyncio\nawait asyncio.sleep(1000)',
  ])('end the run: %s', async (code) => {
    await executor.sendVariables({ kept: 1 });
    const error = await failureOf(executor, code);
    expect([error.code, error.details.reason, error.details.timeoutMs]).toStrictEqual([
      'ERR_EXEC_TIMEOUT',
      'deadline',
      300,
    ]);
    expect(error.message.split('\n')[0]).toBe('Error executing code: Execution timed out after 300ms');
    // Whether the interpreter could go on or another one has taken its place, what the host has sent is there.
    expect((await executor.run('kept + 1', LONG)).output).toBe(2);
  });

  test('keep the state of code that can be interrupted, and the failure says so', async () => {
    let details;
    // On a machine that has too much to do it may not end in time.
    for (let tries = 0; tries < 20 && details?.stateLost !== false; tries++) {
      await executor.run('mine = [1]', LONG);
      ({ details } = await failureOf(executor, 'mine.append(2)\nwhile True: pass'));
    }
    expect(details.stateLost).toBe(false);
    expect((await executor.run('mine', LONG)).output).toStrictEqual([1, 2]);
    const lost = await failureOf(executor, 'sum(range(10**12))');
    expect(lost.details.stateLost).toBe(true);
    expect((await failureOf(executor, 'mine', LONG)).details.name).toBe('NameError');
  });

  test.each([
    ['waiting', 'try:\n    final_answer(5)\nfinally:\n    import time\n    time.sleep(1000)'],
    ['computing', 'try:\n    final_answer(5)\nfinally:\n    for n in range(10**9): str(n)'],
    ['waiting for a tool', 'try:\n    final_answer(5)\nfinally:\n    never()'],
  ])('return the final answer after which code was %s', async (_title, code) => {
    await executor.sendTools({ never: () => new Promise(() => {}) });
    const { output, is_final_answer } = await executor.run(code);
    expect([output, is_final_answer, executor.state]).toStrictEqual([5, true, 'READY']);
  });

  test('accept no final answer afterwards', async () => {
    const error = await failureOf(executor, 'try:\n    while True: pass\nexcept BaseException: final_answer(5)');
    expect([error.code, error.details.reason]).toStrictEqual(['ERR_EXEC_TIMEOUT', 'deadline']);
    expect(error.explanation.split('\n').at(-1)).toMatch(/^Hint: Do less in one run, and wait less\./);
  });

  test('end a run whose tool never answers', async () => {
    await executor.sendTools({ never: () => new Promise(() => {}) });
    expect((await failureOf(executor, 'never()')).code).toBe('ERR_EXEC_TIMEOUT');
    expect((await executor.run('never.__name__', LONG)).output).toBe('never');
  });

  test.each([
    ['sleeping', 'import time\ntime.sleep(1000)\npost()'],
    ['waiting for a tool', 'try: never()\nexcept Exception: pass\npost()'],
  ])('let code that was %s call no tool afterwards', async (_title, code) => {
    let calls = 0;
    await executor.sendTools({ never: () => new Promise(() => {}), post: () => void calls++ });
    // CPython looks for interrupts at some instructions only.
    for (let tries = 0; tries < 12; tries++) {
      expect((await failureOf(executor, code, { timeoutMs: 20 })).code).toBe('ERR_EXEC_TIMEOUT');
    }
    expect(calls).toBe(0);
  });

  test.each([
    ['the finalizer of a replaced variable', 'sendVariables', [{ left: 1 }]],
    ['the source of a tool', 'sendTools', [{}, { f: 'while True: pass' }]],
  ])(
    'also end sending: %s',
    async (_title, method, args) => {
      await executor.run('class D:\n    def __del__(self):\n        while True: pass\nleft = D()');
      const sent = expectCode(executor[method](...args), 'ERR_EXEC_TIMEOUT');
      const run = executor.run('1');
      const { details } = await sent;
      expect([details.timeoutMs, details.stateLost]).toStrictEqual([10_000, true]);
      await expectCode(run, 'ERR_INVALID_STATE');
      expect((await executor.run('2')).output).toBe(2);
    },
    30_000,
  );

  test('an aborted signal ends the run like a deadline', async () => {
    const controller = new AbortController();
    await executor.sendTools({ abort: () => controller.abort(new Error('enough')) });
    const error = await failureOf(executor, 'abort()\nwhile True: pass', { signal: controller.signal });
    expect(error.details).toMatchObject({ aborted: true, reason: 'enough' });
  });
});

describe('an interpreter that replaces a lost one', () => {
  const lose = async (/** @type {PyodideExecutor} */ executor) => {
    const { details } = await failureOf(executor, 'sum(range(10**12))', { timeoutMs: 300 });
    expect(details.stateLost).toBe(true);
  };

  test('receives each earlier call, whatever their total size', async () => {
    const executor = await unguarded({ maxTransferBytes: 20_000 });
    await executor.sendTools({ answer: async () => 42 });
    const shared = { text: 'a'.repeat(12_000) };
    await executor.sendVariables({ a: shared, old: 1 });
    await executor.sendVariables({ b: 'b'.repeat(12_000), c: shared.text.slice(1) }).catch(() => {});
    await executor.sendVariables({ b: 'b'.repeat(12_000), old: 2 });
    const code = '[answer(), len(a.text), len(b), old, "c" in globals()]';
    expect((await executor.run(code)).output).toStrictEqual([42, 12_000, 12_000, 2, false]);
    await lose(executor);
    expect((await executor.run(code)).output).toStrictEqual([42, 12_000, 12_000, 2, false]);
    await executor.cleanup();
  });

  test('receives values as they were when they were sent', async () => {
    const executor = await unguarded({});
    const state = { list: [1], callback: /** @type {any} */ (undefined) };
    const sending = executor.sendVariables({ state });
    state.list.push(2);
    await sending;
    state.callback = () => 1;
    await lose(executor);
    expect((await executor.run('state.list')).output).toStrictEqual([1]);
    await executor.cleanup();
  });

  test('is discarded if it cannot receive all of them, and the next call tries again', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const executor = await unguarded({});
    await executor.sendVariables({ value: 1 });
    await executor.sendTools({ answer: () => 42 }, { first: 'assert value == 1\ndef first(): return value' });
    await executor.sendVariables({ value: 2 });
    await lose(executor);
    for (let tries = 0; tries < 2; tries++) {
      const error = await executor.run('answer()').catch((thrown) => thrown);
      expect([error.message, executor.state]).toStrictEqual(['AssertionError', 'DEAD']);
    }
    expect(log.mock.calls.length).toBe(2);
    // What is sent anew is not asked of the start.
    await executor.sendTools({}, { first: 'def first(): return value + 1' });
    expect((await executor.run('[answer(), first()]')).output).toStrictEqual([42, 3]);
    log.mockRestore();
    await executor.cleanup();
  });

  test('serves calls in order', async () => {
    const executor = await unguarded({ runConcurrency: 'queue', maxQueuedRuns: 10 });
    await lose(executor);
    const order = [];
    const run = (code) => executor.run(code).then(({ output }) => order.push(output));
    const calls = [executor.sendVariables({ x: 1 }), executor.sendVariables({ x: 2 })];
    await Promise.all([...calls, run('x += 1\nx'), run('x * 10')]);
    order.push((await executor.run('x')).output);
    expect(order).toStrictEqual([3, 30, 3]);
    await executor.cleanup();
  });

  test.each([
    ['a tool of Python after one of the host', [['host'], ['python']], 'python'],
    ['a tool of the host after one of Python', [['python'], ['host']], 'host'],
    ['both in one call', [['host', 'python']], 'host'],
    ['a variable after a tool', [['host'], ['variable']], 'variable'],
    ['a tool after a variable', [['variable'], ['python']], 'python'],
  ])('has the value that was sent last under a name: %s', async (_title, calls, expected) => {
    const executor = await unguarded({});
    for (const kinds of calls) {
      if (kinds.includes('variable')) await executor.sendVariables({ x: 'variable' });
      else {
        await executor.sendTools(
          kinds.includes('host') ? { x: () => 'host' } : {},
          kinds.includes('python') ? { x: 'def x():\n    return "python"' } : {},
        );
      }
    }
    const code = 'x() if callable(x) else x';
    expect((await executor.run(code)).output).toBe(expected);
    await lose(executor);
    expect((await executor.run(code)).output).toBe(expected);
    await executor.cleanup();
  });
});

describe('P16 memory', () => {
  /** @type {PyodideExecutor} */
  let executor;
  beforeAll(async () => {
    executor = await unguarded({ memoryLimitMb: 128 });
  }, FIRST_START_MS);
  afterAll(() => executor.cleanup());

  test.each([
    ['a buffer', 'b = bytearray(2 * 10**9)'],
    ['a list', 'hoard = []\nwhile True: hoard.append(bytearray(10**6))'],
    ['a dictionary', 'hoard = {}\nfor i in range(10**9): hoard[i] = str(i) * 100'],
    ['doubling', 'text = "ab"\nwhile True: text += text'],
    ['one expression', 'x = [0] * 10**9'],
  ])('%s beyond the limit is a MemoryError', async (_name, code) => {
    const before = process.memoryUsage().rss;
    const error = await failureOf(executor, code);
    expect([error.code, error.details.name]).toStrictEqual(['ERR_MEMORY_LIMIT_EXCEEDED', 'MemoryError']);
    expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(192);
    expect((await executor.run('hoard = text = None\n1 + 1')).output).toBe(2);
  });

  // What is given back when there is no memory left was not taken again, so that the second run that filled it left
  // nothing for others to begin with: each failed from then on.
  test('code that has repeatedly filled the memory can release it', async () => {
    const own = await unguarded({ memoryLimitMb: 128 });
    await own.run('hoard = {}');
    const fill = [
      'for i in range(10**9): hoard[i] = str(i) * 20',
      'for i in range(10**9): hoard[str(i)] = str(i) * 20',
      'while True: hoard[len(hoard)] = bytearray(10)',
    ];
    for (const code of [...fill, ...fill]) {
      const error = await failureOf(own, code, { timeoutMs: 60_000 });
      expect([error.code, error.details.stateLost]).toStrictEqual(['ERR_MEMORY_LIMIT_EXCEEDED', undefined]);
      expect((await own.run('len(hoard) > 100_000')).output).toBe(true);
      await own.sendVariables({ text: 'x'.repeat(100_000) });
    }
    expect((await own.run('hoard = None\nlen(bytearray(15_000_000))')).output).toBe(15_000_000);
    await own.cleanup();
  });

  test('an error of C without a reason is reported as the memory limit', async () => {
    const error = await failureOf(executor, 'import collections\ncollections.deque(range(10**9))');
    expect([error.code, error.details.name]).toStrictEqual(['ERR_MEMORY_LIMIT_EXCEEDED', 'SystemError']);
    expect((await executor.run('1 + 1')).output).toBe(2);
  });

  test.each([
    ['a string that a tool returns', 'text()'],
    ['a string inside the value that a tool returns', 'texts()'],
    ['bytes that a tool returns', 'bytes()'],
  ])('%s beyond the limit is a MemoryError too', async (_title, code) => {
    const long = 'x'.repeat(24_000_000);
    await executor.sendTools({ text: () => long, texts: async () => [long], bytes: () => new Uint8Array(36_000_000) });
    await executor.run('kept = 1');
    const error = await failureOf(executor, code);
    expect([error.code, error.details.cause]).toStrictEqual([
      'ERR_MEMORY_LIMIT_EXCEEDED',
      `MemoryError\nCode execution failed at line 1: ${code}`,
    ]);
    expect((await executor.run(`try: ${code}\nexcept MemoryError: kept += 1\nkept`)).output).toBe(2);
  });

  test.each([
    ['text', 'x'.repeat(24_000_000)],
    ['bytes', new Uint8Array(36_000_000)],
  ])('variables beyond the limit are refused: %s', async (_title, value) => {
    await executor.run('kept = 1');
    await expectCode(executor.sendVariables({ value }), 'ERR_MEMORY_LIMIT_EXCEEDED');
    expect((await executor.run('kept')).output).toBe(1);
  });

  test.each([
    ['written in one step', 'f.write(b"x" * 10**7)'],
    ['written in several steps', 'f.write(b"x"), f.write(b"x" * 10**7)'],
    ['extended', 'f.truncate(10**8)'],
  ])('a file beyond the limit is a full disk: %s', async (_title, code) => {
    const own = await unguarded({ memoryLimitMb: 128, allowed_dangerous_builtins: ['open'] });
    await own.run('kept = 1');
    const error = await failureOf(
      own,
      `import os
try:
    for n in range(100):
        with open(f"/tmp/{n}", "wb", 0) as f: ${code}
finally:
    # The next run needs some of it.
    for name in os.listdir("/tmp"): os.remove(f"/tmp/{name}")`,
    );
    expect([error.code, error.details.message]).toStrictEqual([
      'ERR_RUNTIME_EXCEPTION',
      '[Errno 51] No space left on device',
    ]);
    expect((await own.run('kept')).output).toBe(1);
    await own.cleanup();
  });

  test('code can catch a MemoryError', async () => {
    const code = 'try:\n    b = bytearray(2 * 10**9)\nexcept MemoryError:\n    b = "caught"\nb';
    expect((await executor.run(code)).output).toBe('caught');
  });
});

describe('asyncio', () => {
  /** @type {PyodideExecutor} */
  let executor;
  beforeAll(async () => {
    executor = new PyodideExecutor(['asyncio', 'gc'], { mount: false });
    await executor.run('import asyncio\nasync def main(): return 1');
  }, FIRST_START_MS);
  afterAll(() => executor.cleanup());

  test('asyncio.run next to an await fails as in CPython, and later runs work', async () => {
    const code =
      'caught = None\nx = await main()\ntry: asyncio.run(main())\nexcept RuntimeError as e: caught = str(e)\n';
    expect((await executor.run(`${code}[x, await main(), caught]`)).output).toStrictEqual([
      1,
      1,
      'asyncio.run() cannot be called from a running event loop',
    ]);
    const later = '[await asyncio.sleep(0, 5), await asyncio.gather(main(), main())]';
    expect((await executor.run(later)).output).toStrictEqual([5, [1, 1]]);
    expect((await executor.run('asyncio.run(main())')).output).toBe(1);
  });

  test.each([
    'asyncio.new_event_loop().run_until_complete(main())',
    'asyncio.get_event_loop().run_until_complete(main())',
    'with asyncio.Runner() as runner: x = runner.run(main())\nx',
  ])('code may have a separate loop: %s', async (code) => {
    expect((await executor.run(code)).output).toBe(1);
  });

  test.each([
    [
      'generators',
      'async def gen():\n    try:\n        yield 1\n    finally:\n        print("ended")\nasync for left in gen(): break',
    ],
    [
      'tasks',
      'async def wait():\n    try:\n        await asyncio.sleep(100)\n    finally:\n        print("ended")\n' +
        'left = asyncio.create_task(wait())\nawait asyncio.sleep(0)',
    ],
  ])('%s end with the run', async (_name, code) => {
    expect((await executor.run(code)).logs).toBe('ended\n');
    expect((await executor.run('import gc\nleft = None\nlen([gc.collect()])')).logs).toBe('');
  });

  // A deadline that comes at the way back of a loop goes past its `finally`, as what `sys.monitoring` raises there
  // does.
  test.each(['asyncio.run(asyncio.sleep(0.01))', 'await asyncio.sleep(0.01)', 'own.run_until_complete(main())'])(
    'asyncio works after a deadline between two rounds of a loop: %s',
    async (code) => {
      const own = new PyodideExecutor(['*'], { mount: false });
      await own.run('import asyncio, sys\nasync def main(): return await asyncio.sleep(0.01, 1)');
      const interrupt = `own = asyncio.new_event_loop()
monitoring, loop = sys.monitoring, asyncio.BaseEventLoop.run_forever.__code__
def interrupt(*_):
    monitoring.set_local_events(4, loop, 0)
    raise KeyboardInterrupt
monitoring.use_tool_id(4, "deadline")
monitoring.register_callback(4, monitoring.events.JUMP, interrupt)
monitoring.set_local_events(4, loop, monitoring.events.JUMP)
`;
      expect((await failureOf(own, interrupt + code)).details.name).toBe('KeyboardInterrupt');
      expect((await own.run('await main()')).output).toBe(1);
      expect((await own.run('asyncio.run(main())')).output).toBe(1);
      expect((await own.run('own.run_until_complete(main())')).output).toBe(1);
      await own.cleanup();
    },
  );

  test('a loop of an earlier run that still counts as running does not block another one', async () => {
    const own = new PyodideExecutor(['*'], { mount: false });
    await own.run('import asyncio\nasyncio._set_running_loop(asyncio.new_event_loop())');
    expect((await own.run('await asyncio.sleep(0, 1)')).output).toBe(1);
    await own.cleanup();
  });

  // The loop itself failed, behind the back of the code: no line was known, and nothing to catch.
  test.each([
    ['a future', 'await asyncio.get_running_loop().create_future()', 1],
    ['an event, in a function', 'async def wait():\n    await asyncio.Event().wait()\nasyncio.run(wait())', 2],
    ['a task', 'async def wait():\n    await asyncio.Queue().get()\nawait asyncio.create_task(wait())', 2],
    ['several', 'event = asyncio.Event()\nawait asyncio.gather(event.wait(), event.wait())', 2],
  ])('waiting for something that cannot happen fails at the await: %s', async (_title, code, line) => {
    const error = await failureOf(executor, code);
    expect([error.code, error.details.message, error.details.line]).toStrictEqual([
      'ERR_RUNTIME_EXCEPTION',
      'this code waits for something that can no longer happen',
      line,
    ]);
  });

  test.each([
    ['a task', 'asyncio.create_task(answer())\nawait asyncio.sleep(1000)'],
    ['a task of another event loop', 'asyncio.run(wait(answer()))'],
  ])('nothing else is awaited after a final answer of %s', async (_title, code) => {
    const before = `async def answer(): final_answer(5)
async def wait(other):
    task = asyncio.create_task(other)
    try:
        await asyncio.sleep(1000)
    finally:
        await asyncio.sleep(0.01)
        print("left")
`;
    const { output, is_final_answer, logs } = await executor.run(before + code);
    expect([output, is_final_answer, logs]).toStrictEqual([5, true, code.includes('wait(') ? 'left\n' : '']);
  });

  test('coroutines that await a final answer may still wait while they exit', async () => {
    const code = `async def answer(): final_answer(5)
try:
    await asyncio.gather(answer(), asyncio.sleep(1000))
finally:
    await asyncio.sleep(0.01)
    print("left")`;
    const { output, logs } = await executor.run(code);
    expect([output, logs]).toStrictEqual([5, 'left\n']);
  });

  test('a limit ends a task together with the run', async () => {
    const code =
      'async def spin():\n    for _ in range(10**9): pass\ntask = asyncio.create_task(spin())\nawait asyncio.sleep(1000)';
    const { code: kind, details } = await failureOf(executor, code);
    expect([kind, details.line]).toStrictEqual(['ERR_MAX_OPS_EXCEEDED', 2]);
  });

  test('functions passed to a thread are called immediately', async () => {
    const fail = () => Promise.reject(new Error('no'));
    await executor.sendTools({ page: async (name) => `page ${name}`, fail });
    const code = `loop = asyncio.get_running_loop()
[await asyncio.gather(*(asyncio.to_thread(page, n) for n in "ab")), await loop.run_in_executor(None, page, "c")]`;
    expect((await executor.run(code)).output).toStrictEqual([['page a', 'page b'], 'page c']);
    expect((await failureOf(executor, 'await asyncio.to_thread(fail)')).code).toBe('ERR_TOOL_PROXY_FAIL');
    expect((await executor.run('await asyncio.to_thread(final_answer, 1)')).is_final_answer).toBe(true);
  });

  test.each([
    'import threading\nthreading.Thread(target=print).start()',
    'import _thread\n_thread.start_new_thread(print, ())',
    'import threading\nthreading.Timer(0.01, print).start()',
  ])('threads are refused with an explanation: %s', async (code) => {
    const own = new PyodideExecutor(['*'], { mount: false });
    expect((await failureOf(own, code)).details.message).toBe(
      "can't start new thread: there are no threads here; call the function directly",
    );
    await own.cleanup();
  });

  test.each([
    'asyncio.new_event_loop().run_until_complete(plain(1))',
    'await asyncio.get_running_loop().create_task(plain(1))',
    'with asyncio.Runner() as runner: x = runner.run(plain(1))\nx',
    'asyncio.run(plain(1))',
  ])('loops accept results of tools: %s', async (code) => {
    await executor.sendTools({ plain: async (value) => value });
    expect((await executor.run(code)).output).toBe(1);
  });

  test('a pending task has no more rights than its run', async () => {
    const code = 'async def spin():\n    while True: await asyncio.sleep(0)\nleft = asyncio.create_task(spin())\n';
    const { output, logs } = await executor.run(`${code}await asyncio.sleep(0)\nfinal_answer(1)`);
    expect([output, logs]).toStrictEqual([1, '']);
    const stubborn = code.replace(
      'await asyncio.sleep(0)',
      '\n        try: await asyncio.sleep(0)\n        except BaseException: pass',
    );
    const error = await failureOf(executor, `${stubborn}await asyncio.sleep(0)`);
    expect([error.code, error.logs]).toStrictEqual(['ERR_MAX_OPS_EXCEEDED', '']);
  });
});

describe('the time zone', () => {
  test.each([
    ['America/New_York', [18_000, 1, ['UTC-0500', 'UTC-0400'], 19, 'UTC-0500']],
    ['Asia/Kolkata', [-19_800, 0, ['UTC+0530', 'UTC+0530'], 5, 'UTC+0530']],
  ])('is that of the process: %s', async (zone, expected) => {
    const { stdout, ...rest } = await runChild(
      `import { PyodideExecutor } from './build/python/index.js';
      const executor = new PyodideExecutor(['time'], { mount: false });
      const { output } = await executor.run('import time\\n[time.timezone, time.daylight, time.tzname, time.localtime(0).tm_hour, time.strftime("%Z", time.localtime(0))]');
      await executor.cleanup();
      console.log(JSON.stringify(output));`,
      { timeoutMs: FIRST_START_MS, env: { TZ: zone } },
    );
    expect(rest).toStrictEqual({ status: 0, signal: null, stderr: '' });
    expect(JSON.parse(stdout)).toStrictEqual(expected);
  });
});

describe('attempts to end the interpreter', () => {
  test.each([
    ['import os\nos._exit(7)'],
    ['import os\nos.abort()'],
    ['import ctypes\nctypes.memset(8, 0, 2**31 - 16)'],
    ['import sys\nsys.exit(3)'],
    ['raise SystemExit'],
  ])('%s is a failure, and the next run works', async (code) => {
    const executor = new PyodideExecutor(['*'], { mount: false });
    await executor.sendVariables({ kept: 41 });
    expect((await failureOf(executor, code)).code).toMatch(/^ERR_(RUNTIME_EXCEPTION|MEMORY_LIMIT_EXCEEDED)$/);
    expect((await executor.run('kept + 1')).output).toBe(42);
    await executor.cleanup();
  });
});

// V8's own limit of the stack, which ends the interpreter, has to be behind CPython's.
describe.runIf(process.platform === 'linux' && process.arch === 'x64')('deep recursion', () => {
  test.each(/** @type {const} */ (['thread', 'process']))(
    'in C is a RecursionError, isolation %s',
    async (isolation) => {
      const executor = await unguarded({ isolation, timeoutMs: 60_000, allowed_dangerous_builtins: ['compile'] });
      await executor.run(
        'import pickle\ndef nested(depth):\n    d = []\n    for _ in range(depth): d = [d]\n    return d',
      );
      expect((await executor.run('len(repr(nested(20_000)))')).output).toBe(40_002);
      for (const code of ['pickle.dumps(nested(100_000))', 'compile("+".join(["1"] * 100_000), "deep", "eval")']) {
        const { code: kind, details } = await failureOf(executor, code);
        expect([kind, details.name, details.stateLost]).toStrictEqual([
          'ERR_RUNTIME_EXCEPTION',
          'RecursionError',
          undefined,
        ]);
      }
      // What was there is there.
      expect((await executor.run('nested(1)')).output).toStrictEqual([[]]);
      await executor.cleanup();
    },
  );
});

describe('deep outputs', () => {
  test.each(['v', 'final_answer(v)'])('are refused: %s', async (last) => {
    const executor = await unguarded({});
    const error = await failureOf(executor, `v = None\nfor _ in range(95_000): v = [v]\n${last}`);
    expect([error.code, error.details.name, error.details.cause]).toStrictEqual([
      'ERR_RUNTIME_EXCEPTION',
      'RecursionError',
      'Runtime exception: the output is nested too deeply or too large for the host',
    ]);
    expect((await executor.run('v = None\n1')).output).toBe(1);
    await executor.cleanup();
  });
});

describe('P18 code that breaks its interpreter', () => {
  const EVERY_TOOL = 'import sys\nm = sys.monitoring\nfor i in range(6): m.free_tool_id(i)';

  test.each([
    ['builtins without their names', 'import builtins\nbuiltins.__dict__.clear()'],
    ['replaced builtins', 'import builtins\nbuiltins.isinstance = lambda *a: True\nbuiltins.Exception = None'],
    ['an audit hook', 'import sys\ndef hook(*a): raise SystemExit\nsys.addaudithook(hook)'],
    ['memory', 'import pyodide_js\npyodide_js._module.HEAPU8.fill(255)'],
    [
      "Pyodide's own functions",
      'import pyodide_js\nfor k in dir(pyodide_js._api):\n    try: setattr(pyodide_js._api, k, None)\n    except BaseException: pass',
    ],
  ])('%s: the failed run reports the lost state, and the next one works', async (_name, code) => {
    const executor = await unguarded({ timeoutMs: 5_000 });
    await executor.sendVariables({ kept: 41 });
    const failures = [];
    for (const each of [code, '1']) await executor.run(each).catch((/** @type {any} */ error) => failures.push(error));
    expect(failures.map((error) => [error.code, error.details.stateLost])).toStrictEqual([
      ['ERR_RUNTIME_EXCEPTION', true],
    ]);
    expect((await executor.run('kept + 1')).output).toBe(42);
    await executor.cleanup();
  });

  test.each([
    ['builtins of frames', 'import sys\nf = sys._getframe()\nwhile f:\n    f.f_builtins.clear(); f = f.f_back'],
    [
      'functions with replaced code',
      'import gc\nfor o in gc.get_objects():\n    try: o.__code__ = (lambda *a, **k: None).__code__\n    except BaseException: pass',
    ],
    ['globals of frames', 'import sys\nf = sys._getframe()\nwhile f:\n    f.f_globals.clear(); f = f.f_back'],
  ])('breaks nothing by %s', async (_name, code) => {
    const executor = await unguarded({ timeoutMs: 5_000 });
    await executor.sendVariables({ kept: 41 });
    await executor.run(code).catch(() => {});
    await executor.sendVariables({ kept: 41 });
    expect((await executor.run('kept + 1')).output).toBe(42);
    await executor.cleanup();
  });

  // Findings that are not a list made the host throw while it reported them: the guest can forge what the prelude
  // reports.
  test('a forged outcome has no details, and the host can still report the failure', async () => {
    const executor = await unguarded({ timeoutMs: 5_000 });
    const forged = '{"code":"ERR_RUNTIME_EXCEPTION","message":"mine","details":{"diagnostics":5}}';
    const code = `import sys
f = sys._getframe()
while f.f_back: f = f.f_back
f.f_globals["_encode_json"] = lambda value: '${forged}'
raise ValueError`;
    const error = await failureOf(executor, code);
    expect([error.code, error.details.diagnostics]).toStrictEqual(['ERR_RUNTIME_EXCEPTION', undefined]);
    expect(error.explanation).toContain('mine');
    await executor.cleanup();
  });

  test.each([
    ['freed', EVERY_TOOL],
    ['taken', `${EVERY_TOOL}; m.use_tool_id(i, "mine")`],
  ])('monitoring that is %s is active again in the next run', async (_name, code) => {
    const executor = new PyodideExecutor(['*'], { mount: false, max_operations: 1_000 });
    await executor.run('mine = 1');
    await executor.run(code).catch(() => {});
    expect((await executor.run('mine + 1')).output).toBe(2);
    const error = await failureOf(executor, 'for i in range(10**4):\n    mine += 1');
    expect([error.code, error.details.maxOperations]).toStrictEqual(['ERR_MAX_OPS_EXCEEDED', 1_000]);
    await executor.cleanup();
  });
});

describe('several executors at the same time', () => {
  test('may write to the same files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'python-'));
    const options = { workDir: folder, allowed_dangerous_builtins: ['open'], timeoutMs: 60_000 };
    const executors = [0, 1, 2].map(() => new PyodideExecutor([], options));
    await Promise.all(executors.map((executor) => executor.init()));
    const code = (/** @type {number} */ who) => `for n in range(600):
    with open(f"/mnt/{n}.log", "a") as log: log.write("${who}\\n")`;
    await Promise.all(executors.map((executor, who) => executor.run(code(who))));
    const lines = (/** @type {string} */ name) => readFileSync(join(folder, name), 'utf8').split('\n').sort().join('');
    expect(readdirSync(folder).map(lines)).toStrictEqual(Array(600).fill('012'));
    await Promise.all(executors.map((executor) => executor.cleanup()));
    rmSync(folder, { recursive: true });
  });

  test('work in parallel, each with its own state', async () => {
    const executors = Array.from({ length: 6 }, () => new PyodideExecutor([], { mount: false }));
    await Promise.all(executors.map((executor, index) => executor.run(`mine = ${index}`)));
    const outcomes = await Promise.all(executors.map((executor) => executor.run('mine * 2')));
    expect(outcomes.map(({ output }) => output)).toStrictEqual([0, 2, 4, 6, 8, 10]);
    await Promise.all(executors.map((executor) => executor.cleanup()));
  });

  test('use no processor time for a sleep, which ends at its deadline', async () => {
    const executor = new PyodideExecutor(['time'], { mount: false, timeoutMs: 1_000, maxCpuMs: 300 });
    await executor.init();
    const { code, details } = await failureOf(executor, 'import time\ntime.sleep(1000)');
    expect([code, details.reason]).toStrictEqual(['ERR_EXEC_TIMEOUT', 'deadline']);
    const busy = await failureOf(executor, 'sum(range(10**12))', { timeoutMs: 60_000 });
    expect(busy.details.reason).toBe('cpu');
    await executor.cleanup();
  });
});

describe('the pool of isolates', () => {
  // The process counts them, so each of these has its own process.
  const facts = async (script) => {
    const prelude = `
      import { engineStats } from './index.mjs';
      import { PyodideExecutor } from './build/python/index.js';
      const until = async (holds) => { while (!holds(engineStats())) await new Promise((resolve) => setImmediate(resolve)); };
      const open = (options) => new PyodideExecutor([], { mount: false, timeoutMs: 60_000, ...options });
      const report = (found) => console.log(JSON.stringify(found));`;
    const { stdout, ...rest } = await runChild(prelude + script, { timeoutMs: FIRST_START_MS });
    expect(rest).toStrictEqual({ status: 0, signal: null, stderr: '' });
    return JSON.parse(stdout);
  };

  test(
    'serves Python: an executor takes the ready isolate, and another one is created',
    async () => {
      const found = await facts(`
        const executor = open({ warmPool: 1 });
        await executor.init();
        await until(({ warm }) => warm === 1);
        const second = open({ warmPool: 1 });
        const ready = second.init();
        const { live, warm } = engineStats();
        await ready;
        const { output } = await second.run('6 * 7');
        await until(({ warm }) => warm === 1);
        await Promise.all([executor.cleanup(), second.cleanup()]);
        report({ live, warm, output });`);
      expect(found).toStrictEqual({ live: 2, warm: 0, output: 42 });
    },
    FIRST_START_MS,
  );

  test.each(['thread', 'process'])(
    'has no isolates for folders that are no longer at their paths, isolation %s',
    async (isolation) => {
      const found = await facts(`
        import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
        import { tmpdir } from 'node:os';
        import { join } from 'node:path';
        const root = mkdtempSync(join(tmpdir(), 'folders-'));
        const [workDir, packages] = [join(root, 'current'), join(root, 'packages')];
        const release = (version) => {
          const folder = join(root, 'release-' + version);
          mkdirSync(folder);
          writeFileSync(join(folder, 'version.txt'), version);
          rmSync(workDir, { force: true });
          symlinkSync(folder, workDir);
          rmSync(packages, { recursive: true, force: true });
          mkdirSync(packages);
          writeFileSync(join(packages, 'ses-executor-packages.json'), '{"pyodide":"314.0.7","packages":{},"libraries":{}}');
          writeFileSync(join(packages, 'words.py'), 'VERSION = "' + version + '"');
        };
        const executors = [];
        const session = async () => {
          const executor = open({
            ...{ authorized_imports: ['words'], allowed_dangerous_builtins: ['open'], isolation: '${isolation}' },
            ...{ mount: true, workDir, packages, warmPool: 1, spares: 1 },
          });
          executors.push(executor);
          const { output } = await executor.run('import words\\n[words.VERSION, open("/mnt/version.txt").read()]');
          await until(({ warm }) => warm === 1);
          return output;
        };
        release('one');
        const outputs = [await session(), await session()];
        release('two');
        outputs.push(await session(), await session());
        await Promise.all(executors.map((executor) => executor.cleanup()));
        rmSync(root, { recursive: true });
        report(outputs);`);
      expect(found).toStrictEqual(['one', 'one', 'two', 'two'].map((version) => [version, version]));
    },
    FIRST_START_MS,
  );

  test(
    'parks an isolate whose JavaScript heap is exhausted, and the next run has another one',
    async () => {
      const found = await facts(`
        const executor = open({ memoryLimitMb: 256, warmPool: 0 });
        await executor.sendVariables({ kept: 41 });
        // Little for Python, and more for V8 than it may have: an output has an object for each.
        const error = await executor.run('[{}] * 2_000_000').catch((thrown) => thrown);
        const { state } = executor;
        const { parked, parkedBytes } = engineStats();
        const { output } = await executor.run('kept + 1');
        await executor.cleanup();
        report({ code: error.code, details: error.details, state, parked, isCounted: parkedBytes > 2 ** 20, output });`);
      expect(found).toMatchObject({
        code: 'ERR_MEMORY_LIMIT_EXCEEDED',
        details: { limitBytes: 2 ** 28, parked: true, stateLost: true },
        state: 'DIRTY',
        parked: 1,
        isCounted: true,
        output: 42,
      });
    },
    FIRST_START_MS,
  );
});
