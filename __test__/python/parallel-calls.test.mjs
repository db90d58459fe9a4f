// Tools that a program calls at the same time are under way at the same time. The host counts how many.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { PyodideExecutor } from '../../build/python/index.js';
import { FIRST_START_MS, failureOf } from './suite.mjs';

/** Calls of the tool under way, the most of them at a time, and arguments in their order. */
let underWay = 0;
let most = 0;
/** @type {number[]} */
let order = [];
/** Ends all calls under way when so many are; the others end at once. */
let waitsFor = 0;
/** @type {(() => void)[]} */
let ends = [];

/** Answers when `waitsFor` calls are under way, in the reverse order. */
async function tool(value) {
  order.push(value);
  most = Math.max(most, ++underWay);
  if (waitsFor > 0) {
    await new Promise((resolve) => {
      ends.unshift(() => resolve(undefined));
      if (ends.length < waitsFor) return;
      setImmediate(() => {
        for (const end of ends.splice(0)) end();
      });
    });
  }
  underWay--;
  if (value === 'bad') throw new RangeError('bad value');
  return value * 10;
}

const asyncio = (body) => `import asyncio\n${body}`;
const pool = (body) => `from concurrent.futures import ThreadPoolExecutor, as_completed, wait\n${body}`;

/** Programs that call the tool with 0 to 4 and give its results in order. */
const PROGRAMS = [
  ['gather', asyncio('await asyncio.gather(tool(0), tool(1), tool(2), tool(3), tool(4))')],
  ['gather of a list', asyncio('await asyncio.gather(*[tool(i) for i in range(5)])')],
  ['gather of a generator', asyncio('await asyncio.gather(*(tool(i) for i in range(5)))')],
  ['gather of a variable', asyncio('calls = [tool(i) for i in range(5)]\nawait asyncio.gather(*calls)')],
  [
    'gather of what was appended',
    asyncio('calls = []\nfor i in range(5):\n    calls.append(tool(i))\nawait asyncio.gather(*calls)'),
  ],
  ['gather of values', asyncio('calls = {i: tool(i) for i in range(5)}\nlist(await asyncio.gather(*calls.values()))')],
  [
    'gather of async functions',
    asyncio('async def one(i):\n    return await tool(i)\nawait asyncio.gather(*map(one, range(5)))'),
  ],
  [
    'gather of async functions that do not await',
    asyncio('async def one(i):\n    found = tool(i)\n    return found\nawait asyncio.gather(*map(one, range(5)))'),
  ],
  [
    'gather within functions',
    asyncio('async def main():\n    return await asyncio.gather(*[tool(i) for i in range(5)])\nasyncio.run(main())'),
  ],
  [
    'gather of functions that call',
    asyncio(
      'def one(i):\n    return tool(i)\nasync def main():\n    return await asyncio.gather(*[one(i) for i in range(5)])\nawait main()',
    ),
  ],
  ['await of one after the other', asyncio('calls = [tool(i) for i in range(5)]\n[await call for call in calls]')],
  ['tasks', asyncio('tasks = [asyncio.create_task(tool(i)) for i in range(5)]\n[await task for task in tasks]')],
  [
    'wait',
    asyncio(
      'done, _ = await asyncio.wait([asyncio.ensure_future(tool(i)) for i in range(5)])\nsorted(task.result() for task in done)',
    ),
  ],
  [
    'as_completed',
    asyncio(
      'found = []\nfor call in asyncio.as_completed([tool(i) for i in range(5)]):\n    found.append(await call)\nsorted(found)',
    ),
  ],
  [
    'a task group',
    asyncio(
      'async with asyncio.TaskGroup() as group:\n    tasks = [group.create_task(tool(i)) for i in range(5)]\n[task.result() for task in tasks]',
    ),
  ],
  [
    'a task group of functions',
    asyncio(
      'async def one(i): return await tool(i)\nasync with asyncio.TaskGroup() as group:\n    tasks = [group.create_task(one(i)) for i in range(5)]\n[task.result() for task in tasks]',
    ),
  ],
  ['to_thread', asyncio('await asyncio.gather(*[asyncio.to_thread(tool, i) for i in range(5)])')],
  [
    'to_thread of a function',
    asyncio(
      'def work(i):\n    found = tool(i)\n    return found\nawait asyncio.gather(*[asyncio.to_thread(work, i) for i in range(5)])',
    ),
  ],
  [
    'run_in_executor',
    asyncio(
      'loop = asyncio.get_running_loop()\nawait asyncio.gather(*[loop.run_in_executor(None, tool, i) for i in range(5)])',
    ),
  ],
  [
    'run_in_executor of a pool',
    `${pool('')}import asyncio\nloop = asyncio.get_running_loop()\nwith ThreadPoolExecutor() as threads:\n    found = await asyncio.gather(*[loop.run_in_executor(threads, tool, i) for i in range(5)])\nfound`,
  ],
  [
    'map of a pool',
    pool('with ThreadPoolExecutor() as threads:\n    found = list(threads.map(tool, range(5)))\nfound'),
  ],
  [
    'map of a function',
    pool(
      'def work(i):\n    found = tool(i)\n    return found\nwith ThreadPoolExecutor(max_workers=5) as threads:\n    found = list(threads.map(work, range(5)))\nfound',
    ),
  ],
  [
    'map of a lambda',
    pool('with ThreadPoolExecutor() as threads:\n    found = list(threads.map(lambda i: tool(i), range(5)))\nfound'),
  ],
  [
    'map of a method',
    pool(
      'class Work:\n    __by = 1\n    def one(self, i, *, times=1):\n        return tool(i) * times * self.__by\n    def all(self):\n        with ThreadPoolExecutor() as threads:\n            return list(threads.map(self.one, range(5)))\nWork().all()',
    ),
  ],
  [
    'map of a function in a function',
    pool(
      'def outer(by):\n    def inner(i):\n        try:\n            return tool(i) * by\n        finally:\n            pass\n    with ThreadPoolExecutor() as threads:\n        return list(threads.map(inner, range(5)))\nouter(1)',
    ),
  ],
  [
    'submit',
    pool(
      'threads = ThreadPoolExecutor()\nfutures = [threads.submit(tool, i) for i in range(5)]\n[future.result() for future in futures]',
    ),
  ],
  [
    'as_completed of a pool',
    pool(
      'def work(i): return tool(i)\nwith ThreadPoolExecutor() as threads:\n    futures = {threads.submit(work, i): i for i in range(5)}\n    found = sorted((futures[future], future.result()) for future in as_completed(futures))\n[value for _, value in found]',
    ),
  ],
  [
    'wait of a pool',
    pool(
      'with ThreadPoolExecutor() as threads:\n    done, rest = wait([threads.submit(tool, i) for i in range(5)])\nsorted(future.result() for future in done)',
    ),
  ],
  ['gather of map', asyncio('await asyncio.gather(*map(tool, range(5)))')],
  ['gather of a list of map', asyncio('calls = list(map(tool, range(5)))\nawait asyncio.gather(*calls)')],
  [
    'map of a function that calls itself',
    pool(
      'def work(i, depth=2):\n    return tool(i) if depth == 0 else work(i, depth - 1)\nlist(ThreadPoolExecutor().map(work, range(5)))',
    ),
  ],
  [
    'map of an object that is called',
    pool('class Work:\n    def __call__(self, i): return tool(i)\nlist(ThreadPoolExecutor().map(Work(), range(5)))'),
  ],
  [
    'map of a function with a generator',
    pool('def work(i):\n    return sum(tool(each) for each in (i,))\nlist(ThreadPoolExecutor().map(work, range(5)))'),
  ],
  [
    'map within map',
    pool(
      'def work(items):\n    with ThreadPoolExecutor(3) as threads:\n        return list(threads.map(tool, items))\nwith ThreadPoolExecutor(3) as threads:\n    found = list(threads.map(work, [[0, 1], [2, 3], [4]]))\nsum(found, [])',
    ),
  ],
  [
    'submit within map',
    pool(
      'def work(items):\n    with ThreadPoolExecutor() as threads:\n        futures = [threads.submit(tool, i) for i in items]\n    return [future.result() for future in futures]\nsum(ThreadPoolExecutor().map(work, [[0, 1], [2, 3], [4]]), [])',
    ),
  ],
  [
    'results of futures within submit',
    pool(
      'inner = ThreadPoolExecutor()\ndef work(i):\n    return inner.submit(tool, i).result()\nthreads = ThreadPoolExecutor()\nfutures = [threads.submit(work, i) for i in range(5)]\n[future.result() for future in futures]',
    ),
  ],
  [
    'wait within to_thread',
    `${pool('')}import asyncio\ndef work(items):\n    threads = ThreadPoolExecutor()\n    futures = [threads.submit(tool, i) for i in items]\n    wait(futures)\n    return [future.result() for future in futures]\nfound = await asyncio.gather(*[asyncio.to_thread(work, items) for items in ([0, 1], [2, 3, 4])])\nsum(found, [])`,
  ],
];

describe('calls of tools', () => {
  /** @type {PyodideExecutor} */
  let executor;
  beforeAll(async () => {
    executor = new PyodideExecutor(['*'], { mount: false });
    await executor.sendTools({ tool, space: { tool } });
  }, FIRST_START_MS);
  afterAll(() => executor.cleanup());
  beforeEach(() => {
    underWay = most = waitsFor = 0;
    order = [];
    ends = [];
  });

  test.each(PROGRAMS)('run five at the same time with %s', async (_title, code) => {
    // No call ends before all have begun.
    waitsFor = 5;
    const { output, stats } = await executor.run(code);
    expect([output, most, order, stats?.toolCalls]).toStrictEqual([[0, 10, 20, 30, 40], 5, [0, 1, 2, 3, 4], 5]);
  });

  test('begin in the order of the program and end in that of the results', async () => {
    waitsFor = 3;
    const code = `import asyncio
seen = []
async def one(i):
    found = await tool(i)
    seen.append(i)
    return found
await asyncio.gather(*[one(i) for i in range(3)])
seen`;
    expect([(await executor.run(code)).output, order]).toStrictEqual([
      [2, 1, 0],
      [0, 1, 2],
    ]);
  });

  test.each([
    ['a plain call', 'x = tool(1)\ny = tool(x)\n[x, y]', [10, 100], 1],
    ['an await', 'x = await tool(1)\ny = await tool(x)\n[x, y]', [10, 100], 1],
    [
      'plain calls in an async function',
      'async def f():\n    x = tool(1)\n    return [x, tool(x)]\nawait f()',
      [10, 100],
      1,
    ],
    [
      'results that are used earlier',
      'import asyncio\ncalls = [tool(i) for i in range(3)]\ntotal = sum(calls)\n[total, await asyncio.gather(*calls)]',
      [30, [0, 10, 20]],
      1,
    ],
    [
      'a semaphore',
      'import asyncio\nfew = asyncio.Semaphore(2)\nasync def one(i):\n    async with few:\n        return await tool(i)\nawait asyncio.gather(*map(one, range(4)))',
      [0, 10, 20, 30],
      2,
    ],
    [
      'a pool of two',
      pool('with ThreadPoolExecutor(max_workers=2) as threads:\n    found = list(threads.map(tool, range(4)))\nfound'),
      [0, 10, 20, 30],
      2,
    ],
    ['a tool in a namespace', 'import asyncio\nawait asyncio.gather(space.tool(1), space.tool(2))', [10, 20], 2],
    [
      'a function of an earlier run',
      pool('threads = ThreadPoolExecutor()\nlist(threads.map(earlier, range(2)))'),
      [1, 11],
      2,
    ],
    [
      'jobs that do not wait',
      pool('with ThreadPoolExecutor(2) as threads:\n    found = sum(threads.map(lambda i: i, range(3_000)))\nfound'),
      4_498_500,
      0,
    ],
    [
      'a job of the same pool',
      pool(
        'threads = ThreadPoolExecutor(4)\ndef work(i):\n    return list(threads.map(tool, [i]))[0]\nlist(threads.map(work, range(2)))',
      ),
      [0, 10],
      2,
    ],
    [
      'an error of a job within a job',
      pool(
        'def work(i):\n    with ThreadPoolExecutor() as threads:\n        return threads.submit(tool, i).result()\ndef all(i):\n    try: return work(i)\n    except ToolError as error: return error.message\nlist(ThreadPoolExecutor().map(all, ["bad", 1]))',
      ),
      ['bad value', 10],
      2,
    ],
    [
      'a function that returns from a pool',
      pool(
        'def work(i):\n    with ThreadPoolExecutor() as threads:\n        for future in as_completed([threads.submit(tool, i)]):\n            return future.result()\nlist(ThreadPoolExecutor().map(work, range(2)))',
      ),
      [0, 10],
      1,
    ],
    [
      'a name that the prelude used',
      pool('def lambda_(i): return tool(i)\nlist(ThreadPoolExecutor().map(lambda i: lambda_(i), range(2)))'),
      [0, 10],
      2,
    ],
    [
      'a job that waits for another',
      pool(
        'threads = ThreadPoolExecutor(2)\ninner = threads.submit(tool, 1)\nouter = threads.submit(lambda: inner.result() + tool(2))\nouter.result()',
      ),
      30,
      1,
    ],
  ])('return the usual results for %s', async (_title, code, expected, calls) => {
    await executor.run('def earlier(i):\n    return tool(i) + 1');
    waitsFor = calls > 1 ? calls : 0;
    expect([(await executor.run(code)).output, most]).toStrictEqual([expected, calls]);
  });

  test.each([
    ['gather', asyncio('await asyncio.gather(tool(1), tool("bad"))')],
    ['a pool', pool('with ThreadPoolExecutor() as threads:\n    found = list(threads.map(tool, [1, "bad"]))')],
    [
      'a function in a pool',
      pool(
        'def work(x):\n    return tool(x)\nwith ThreadPoolExecutor() as threads:\n    found = list(threads.map(work, [1, "bad"]))',
      ),
    ],
  ])('fail in the usual way with %s', async (_title, code) => {
    const error = await failureOf(executor, code);
    const { name, message, tool: failed } = error.details;
    expect([error.code, name, message, failed]).toStrictEqual([
      'ERR_TOOL_PROXY_FAIL',
      'RangeError',
      'bad value',
      'tool',
    ]);
    expect(error.cause).toBeInstanceOf(RangeError);
  });

  test('of functions that are not async return immediately', async () => {
    const own = new PyodideExecutor(['asyncio'], { mount: false });
    const seen = [];
    await own.sendTools({ plain: (value) => (seen.push(value), value), late: (value) => tool(value) });
    const code = `import asyncio
tasks = [asyncio.ensure_future(plain(i)) for i in range(2)]
first = await asyncio.gather(plain(2), late(3), late(4))
[first, [task.result() for task in tasks]]`;
    waitsFor = 2;
    expect([(await own.run(code)).output, seen, most]).toStrictEqual([
      [
        [2, 30, 40],
        [0, 1],
      ],
      [0, 1, 2],
      2,
    ]);
    await own.cleanup();
  });

  test('fail at their await', async () => {
    const code =
      'import asyncio\nfound = await asyncio.gather(tool(1), tool("bad"), return_exceptions=True)\n[found[0], found[1].message]';
    expect((await executor.run(code)).output).toStrictEqual([10, 'bad value']);
  });

  test.each([
    [
      'an async function',
      asyncio('async def f(i):\n    final_answer(await tool(i))\nawait asyncio.gather(f(1), f(2))'),
    ],
    [
      'a pool',
      pool(
        'def f(i):\n    final_answer(tool(i))\nwith ThreadPoolExecutor() as threads:\n    list(threads.map(f, [1, 2]))',
      ),
    ],
  ])('allow the final answer of %s', async (_title, code) => {
    expect(await executor.run(code)).toMatchObject({ output: 10, is_final_answer: true });
  });

  test('that were not awaited do not affect the next run', async () => {
    waitsFor = 100;
    await executor.run('import asyncio\ncall = asyncio.ensure_future(tool(1))\n1');
    waitsFor = 0;
    for (const end of ends.splice(0)) end();
    expect((await executor.run('await tool(2)')).output).toBe(20);
  });

  test.each([
    ['a deadline', { timeoutMs: 200 }, 'ERR_EXEC_TIMEOUT'],
    ['a deadline of tools', { toolTimeoutMs: 200 }, 'ERR_TOOL_PROXY_FAIL'],
  ])('are ended by %s', async (_title, options, code) => {
    waitsFor = 100;
    const error = await failureOf(executor, asyncio('await asyncio.gather(tool(1), tool(2))'), options);
    expect(error.code).toBe(code);
    waitsFor = 0;
    expect((await executor.run('tool(3)')).output).toBe(30);
  });

  test('are ended by a timeout in the code', async () => {
    waitsFor = 100;
    const code =
      'import asyncio\ntry:\n    await asyncio.wait_for(tool(1), 0.05)\nexcept TimeoutError:\n    found = "late"\nfound';
    expect((await executor.run(code)).output).toBe('late');
  });

  test('count towards the limit of calls', async () => {
    const own = new PyodideExecutor(['*'], { mount: false, maxToolCalls: 3 });
    await own.sendTools({ tool });
    const error = await failureOf(own, asyncio('await asyncio.gather(*[tool(i) for i in range(5)])'));
    expect([error.code, order.length]).toStrictEqual(['ERR_TOOL_CALL_LIMIT_EXCEEDED', 3]);
    await own.cleanup();
  });

  test(
    'run at the same time in a worker process',
    async () => {
      const own = new PyodideExecutor(['*'], { mount: false, isolation: 'process', spares: 0 });
      await own.sendTools({ tool });
      waitsFor = 5;
      const { output } = await own.run(asyncio('await asyncio.gather(*[tool(i) for i in range(5)])'));
      expect([output, most]).toStrictEqual([[0, 10, 20, 30, 40], 5]);
      await own.cleanup();
    },
    FIRST_START_MS,
  );
});
