// A session of Python whose replay is long keeps its memory, and goes on from there exactly as a replay would.
// `DURABLE_PYTHON_CHECKPOINTS` is the number of random sessions, and `DURABLE_SEED` the first seed.

import { describe, expect, test } from 'vitest';

import { durable, memoryStore, waitForAnswer } from 'ses-executor/durable';
import { KEYS, all, inFolder, openSession, storeOf, storeThatAppends, untouchable } from './helpers.mjs';
import { factsOf, generatorOf } from './programs.mjs';

const SESSIONS = Number(process.env.DURABLE_PYTHON_CHECKPOINTS ?? 4);
const FIRST_SEED = Number(process.env.DURABLE_SEED ?? Date.now() % 1e6);

/** Nine of them are more than 16 MiB. */
const LARGE = 'x'.repeat(2 << 20);
const TOOLS = {
  large: async () => LARGE,
  add: async (a, b) => a + b,
  now: (n) => n + 1,
  failing: async (n) => {
    throw new RangeError(`failing ${n}`);
  },
};
const TAKES_LONG = 'for _ in range(9): len(large())\n0';
const executor = { authorized_imports: ['*'] };
const python = { engine: 'python', tools: TOOLS, executor };

/** The kind of a checkpoint's frame, after the mark of the entry and the length of the frame. */
const isCheckpoint = (entry) => entry[5] === 0x45;

/** The same entries, with a checkpoint of another build. */
function ofOtherBuild(entries) {
  return entries.map((entry) => {
    if (!isCheckpoint(entry)) return entry;
    const changed = Buffer.from(entry);
    const at = changed.indexOf('"addon":"') + '"addon":"'.length;
    changed[at] ^= 1;
    return changed;
  });
}

const typesOf = async (session) => (await all(session.history())).map(({ type }) => type);
const checkpointsOf = async (session) => (await typesOf(session)).filter((type) => type === 'checkpoint').length;

const FIRST = `
import asyncio, collections, dataclasses, datetime, functools, itertools, json, math, os, pathlib, random, re, secrets
import time, uuid
class Account:
    total = 0
    def __init__(self): self.balance = 10
    def add(self, n):
        self.balance += n
        Account.total += n
        return self.balance
    def __del__(self): gone.append(self.balance)
@dataclasses.dataclass
class Point:
    x: int
    near: list
gone = []
account = Account()
def counting(start):
    i = start
    while True:
        got = yield i
        i += 1 if got is None else got
numbers = counting(0)
next(numbers)
names = {"fig", "pear", "plum", "apple", "quince"}
ring = []
ring.append(ring)
points = [Point(1, []), Point(2, [])]
points[0].near.append(points[1])
points[1].near.append(points[0])
@functools.lru_cache
def square(n): return n * n
counts = collections.Counter("durable sessions")
own = random.Random(5)
drawn = [random.random(), str(uuid.uuid4()), secrets.token_hex(4)]
trace = []
folder = pathlib.Path("/tmp/work")
folder.mkdir()
log = (folder / "log").open("a+")
def path_of(n): return folder / f"d{n % 3}" / f"f{n}"
# Later changes have times that differ between sessions.
def listed(top):
  found = []
  for at, folders, names in os.walk(top):
    for name in [*folders, *names]:
      path = pathlib.Path(at, name)
      seen = path.lstat()
      body = os.readlink(path) if path.is_symlink() else path.read_bytes().hex() if path.is_file() else ""
      times = [time if time < until else "later" for time in (seen.st_mtime_ns, seen.st_atime_ns, seen.st_ctime_ns)]
      found.append([str(path), seen.st_mode, seen.st_ino, seen.st_size, times, body])
  return found
0`;
/** Hides the times of what changes files from here on. */
const UNTIL = 'until = int(time.time() * 1_000) * 1_000_000';
const PROBE = `[account.add(1), next(numbers), list(names), drawn, random.random(), secrets.token_hex(4), str(uuid.uuid4()),
  hash("text"), id(account), id(points[0].near[0]) == id(points[1]), ring[0] is ring, square.cache_info().hits, own.random(),
  sorted(counts.items()), listed("/tmp"), os.getcwd(), log.tell(), str(points[0]), Account.total, gone, trace, time.time() > 1.7e9, sorted(dir()), await add(1, 2)]`;

/** A program that changes the state in some way. */
function programOf(random, step) {
  const int = (n) => Math.floor(random() * n);
  const lines = [
    () => `account.add(${int(9)})`,
    () => `account = Account(); account.add(${int(5)})`,
    () => `trace.append(numbers.send(${int(4)}))`,
    () => `names.add("n${int(1e6)}"); trace.append(list(names)[:3])`,
    () => `points.append(Point(${int(9)}, [points[${int(2)}]]))`,
    () => `square(${int(4)})`,
    () => `counts.update("t${int(1e4)}")`,
    () => `trace.append(random.randint(0, ${1 + int(1e6)})); random.shuffle(trace)`,
    () => `def f${int(5)}(n, k=${int(9)}): return n + k + len(trace)`,
    () => `try: trace.append(f${int(5)}(${int(9)}))\nexcept NameError: pass`,
    () => `trace.append(await add(${int(9)}, ${int(9)}))`,
    () => `try: failing(${int(9)})\nexcept Exception as error: kept${int(3)} = error; trace.append(str(error))`,
    () => `big${int(3)} = [i * ${1 + int(5)} for i in range(${int(20_000)})]`,
    () => `big${int(3)} = bytes(${int(300_000)})`,
    () => `trace.append(await asyncio.gather(*[asyncio.to_thread(now, i) for i in range(${1 + int(4)})]))`,
    () => `await asyncio.sleep(${int(5) / 1000}); trace.append(time.monotonic() > 0)`,
    () => `try: trace.append(next(g${int(3)}))\nexcept NameError: g${int(3)} = itertools.count(${int(9)})`,
    () => `import ${['heapq', 'bisect', 'statistics', 'fractions', 'decimal', 'textwrap', 'string'][int(7)]}`,
    () => `match = re.match(r"(\\d+)", "${int(1e5)}"); trace.append(match.group(1))`,
    () => `print("step ${step}", len(trace))`,
    () => `1 / 0`,
    () => `del points[2:]`,
    () => `path_of(${int(6)}).parent.mkdir(exist_ok=True); path_of(${int(6)}).write_text("t" * ${int(2_000)})`,
    () =>
      `try:\n with path_of(${int(6)}).open("r+b") as file:\n  file.seek(${int(500)}); file.write(b"${int(1e6)}")\nexcept OSError as error: trace.append(error.errno)`,
    () => `try: path_of(${int(6)}).rename(path_of(${int(6)}))\nexcept OSError as error: trace.append(error.errno)`,
    () => `try: path_of(${int(6)}).unlink()\nexcept OSError as error: trace.append(error.errno)`,
    () => `try: os.symlink("f${int(6)}", path_of(${int(6)}))\nexcept OSError as error: trace.append(error.errno)`,
    () => `os.utime(folder, (${int(1e6)}, ${int(1e6)})); os.chmod(folder, 0o7${int(8)}0); os.chdir(folder)`,
    () => `log.write("${int(1e6)}"); log.seek(0); trace.append(log.read(${int(30)}))`,
    () => `trace.append(pathlib.Path("/dev/urandom").open("rb", buffering=0).read(${1 + int(9)}).hex())`,
  ];
  return Array.from({ length: 2 + int(5) }, () => lines[int(lines.length)]()).join('\n') + '\nlen(trace)';
}

const SEEDS = Array.from({ length: SESSIONS }, (_, i) => FIRST_SEED + i);

test.each(SEEDS)(
  'a session of Python from seed %i continues from its memory as it would have without the checkpoint, and as a replay does',
  { timeout: 240_000 },
  async (seed) => {
    const random = generatorOf(seed);
    const [from, to] = seed % 2 === 0 ? ['thread', 'process'] : ['process', 'thread'];
    const store = memoryStore();
    const options = (isolation) => ({ ...python, executor: { ...executor, isolation } });
    const session = await openSession('s', { store, ...options(from) });
    await session.run(FIRST);
    for (let step = 0; step < 3; step++) await factsOf(session.run(programOf(random, step)));
    const taken = random() < 0.7 ? TAKES_LONG : `${TAKES_LONG}\n1 / 0`;
    await factsOf(session.run(taken));
    if ((await checkpointsOf(session)) === 0) await session.run(TAKES_LONG);
    expect(await checkpointsOf(session), `seed ${seed}`).toBe(1);
    const steps = Math.floor(random() * 3);
    for (let step = 3; step < 3 + steps; step++) await factsOf(session.run(programOf(random, step)));
    await session.run(UNTIL);
    const entries = await all(store.read('s'));

    const later = [PROBE, programOf(random, 9), PROBE, programOf(random, 10), PROBE];
    const goOn = async (one) => {
      const facts = [];
      for (const code of later) facts.push(await factsOf(one.run(code)));
      return facts;
    };
    const expected = await goOn(session);
    expect(expected[0].output, `seed ${seed}`).toBeInstanceOf(Array);
    await session.cleanup();

    const restored = storeOf(entries);
    const again = await openSession('s', { store: restored, ...options(to) });
    expect(await goOn(again), `seed ${seed}, from the memory`).toStrictEqual(expected);
    await again.cleanup();
    const replayed = await openSession('s', { store: storeOf(ofOtherBuild(entries)), ...options(to) });
    expect(await goOn(replayed), `seed ${seed}, replayed`).toStrictEqual(expected);
    await replayed.cleanup();

    // What was recorded after the restored memory is what a replay from the beginning does.
    const whole = await all(restored.read('s'));
    const third = await openSession('s', {
      store: storeOf(ofOtherBuild(whole)),
      ...options(from),
      tools: untouchable(TOOLS),
    });
    expect((await third.run('len(trace)')).output).toBe(expected.at(-1).output.at(-4).length);
    await third.cleanup();
  },
);

/** A store with a session that has defined `code`, and has a checkpoint. */
async function kept(code, more = {}) {
  const store = memoryStore();
  const session = await openSession('s', { store, ...python, ...more });
  await session.run(code);
  await session.run(TAKES_LONG);
  const count = await checkpointsOf(session);
  await session.cleanup();
  return { store, count, entries: await all(store.read('s')) };
}

const FILES = `${FIRST}
base = folder
(base / "a.txt").write_text("one\\ntwo\\n")
(base / "empty").touch()
(base / "deep" / "er").mkdir(parents=True)
(base / "deep" / "er" / "b.bin").write_bytes(bytes(range(256)) * 40)
os.symlink("a.txt", base / "link")
(base / "gone").write_text("x")
os.remove(base / "gone")
os.rmdir("/home/web_user")
os.rename(base / "empty", base / "deep" / "renamed")
os.chdir(base)
reading = pathlib.Path("a.txt").open()
reading.readline()
writing = pathlib.Path("a.txt").open("a")
writing.write("three\\n")
shared = os.dup(reading.fileno())
os.chmod("a.txt", 0o640)
start = pathlib.Path("/lib/python3.14/LICENSE.txt")`;
const FILES_PROBE = `${UNTIL}
next_line = reading.readline()
writing.close()
os.lseek(shared, 1, 0)
os.utime("a.txt", ns=(1_000_000_000_500_000_000, 1_100_000_000_250_000_000))
seen = os.stat("/tmp/work/link")
[["text", pathlib.Path("a.txt").read_text()], ["deep", sorted(os.listdir("deep"))], ["link", os.readlink("link")],
 ["mode", seen.st_mode & 0o777], ["times", [seen.st_atime_ns, seen.st_mtime_ns]], ["cwd", os.getcwd()],
 ["isGone", [os.path.exists("gone"), os.path.exists("/home/web_user")]], ["start", True], ["next", next_line],
 ["shared", os.lseek(reading.fileno(), 0, 1) == 1]]`;

describe('a checkpoint of Python', () => {
  const LONG = { timeout: 120_000 };

  test('keeps numbers of runs and calls, forks, views and the history', LONG, async () => {
    const { store, count } = await kept('n = 1\ndef f(): return n');
    expect(count).toBe(1);
    const session = await openSession('s', { store, ...python });
    expect((await session.run('n = add(n, 1)\n[n, f()]')).output).toStrictEqual([2, 2]);
    const history = await all(session.history());
    expect(history.filter(({ type }) => type === 'call').at(-1)).toMatchObject({ key: 's/3/1', name: 'add' });
    expect(history.find(({ type }) => type === 'checkpoint')).toMatchObject({ run: 2 });
    const before = await session.replayTo({ run: 1 });
    expect((await before.run('f()')).output).toBe(1);
    const after = await session.replayTo({ run: 2 });
    expect((await after.run('f()')).output).toBe(1);
    const fork = await session.fork('f');
    expect((await fork.run('f()')).output).toBe(2);
    const same = await session.fork('g', { seed: 'same', run: 2 });
    const drawn = (one) => one.run('import random, secrets\n[random.random(), secrets.token_hex(8)]');
    const other = await session.fork('h', { run: 2 });
    const view = await session.replayTo({ run: 2 });
    const { output } = await drawn(same);
    expect((await drawn(view)).output).toStrictEqual(output);
    expect((await drawn(other)).output).not.toStrictEqual(output);
  });

  test('is followed by runs that wait, that continue elsewhere, and that are lost', LONG, async () => {
    const tools = { ...TOOLS, ask: async (text) => waitForAnswer({ text }) };
    const unlimited = { ...executor, max_operations: Infinity, max_while_iterations: Infinity };
    const options = { ...python, tools, executor: unlimited };
    const { store } = await kept('n = 1\ndef f(): return n', options);
    const first = await openSession('s', { store, ...options });
    const { calls } = await first.start('x = add(1, 1)\nreply = ask("pay?")\n[f(), x, reply, now(1)]');
    expect(calls).toMatchObject([{ key: 's/3/2', name: 'ask', args: ['pay?'] }]);
    await first.cleanup();
    const again = await openSession('s', { store, ...options });
    expect(again.state).toBe('WAITING');
    const { output } = await again.answer({ 's/3/2': { result: 'yes' } });
    expect(output.output).toStrictEqual([1, 2, 'yes', 2]);
    const lost = await factsOf(again.run('n = 5\nwhile True: n += 0', { timeoutMs: 1_000 }));
    expect(lost.code).toBe('ERR_EXEC_TIMEOUT');
    expect((await again.run('[f(), reply]')).output).toStrictEqual([1, 'yes']);
  });

  test('is not made of results that must not be recorded', LONG, async () => {
    const secret = durable(async () => 'of the vault', { record: 'nothing' });
    const { count, store } = await kept('token = secret()\nNone', { tools: { ...TOOLS, secret } });
    expect(count).toBe(0);
    expect(Buffer.concat(await all(store.read('s'))).includes('of the vault')).toBe(false);
    const again = await openSession('s', { store, ...python, tools: { ...untouchable(TOOLS), secret } });
    expect((await again.run('token')).output).toBe('of the vault');
  });

  test('keeps files in memory, their folders, links, modes and times, deleted files and open ones', LONG, async () => {
    const { store, count, entries } = await kept(FILES);
    expect(count).toBe(1);
    const seen = [];
    for (const one of [store, storeOf(ofOtherBuild(entries))]) {
      const session = await openSession('s', { store: one, ...python, tools: untouchable(TOOLS) });
      seen.push(
        (await session.run(FILES_PROBE)).output,
        (await session.run('[item for top in ["/tmp", "/home", "/dev", "/lib"] for item in listed(top)]')).output,
      );
      await session.cleanup();
    }
    const facts = {
      text: 'one\ntwo\nthree\n',
      deep: ['er', 'renamed'],
      link: 'a.txt',
      mode: 0o640,
      times: [1_000_000_000_500_000_000, 1_100_000_000_250_000_000],
      cwd: '/tmp/work',
      isGone: [false, false],
      start: true,
      next: 'two\n',
      shared: true,
    };
    expect(Object.fromEntries(seen[0])).toStrictEqual(facts);
    expect(Object.fromEntries(seen[2])).toStrictEqual(facts);
    expect(seen[1].length).toBeGreaterThan(20);
    expect(seen[3]).toStrictEqual(seen[1]);
  });

  test('is smaller than the files of the session if these are not those of the start', LONG, async () => {
    // In parts: what making them leaves in the memory counts too.
    const large = `import pathlib, random
with pathlib.Path("/tmp/large").open("wb") as file:
    for _ in range(MB): file.write(random.randbytes(1 << 20))`;
    const size = async (mb) => {
      const { entries } = await kept(large.replace('MB', mb));
      return entries.findLast(isCheckpoint).length;
    };
    const small = await size('0');
    expect((await size('3')) - small).toBeGreaterThan(3 << 20);
  });

  test.each([
    ['one file', 8, "pathlib.Path('/tmp/large').write_bytes(b'abcdefgh' * (8 << 17))"],
    ['many files', 20, "for n in range(20): pathlib.Path(f'/tmp/{n}').write_bytes(b'abcdefgh' * (1 << 17))"],
  ])('is not made of more than 4 MiB in %s, and the session is replayed', LONG, async (_, mebibytes, code) => {
    const { count, store } = await kept(`import pathlib\n${code}\nn = 1\nNone`);
    expect(count).toBe(0);
    const again = await openSession('s', { store, ...python, tools: untouchable(TOOLS) });
    expect((await again.run('n + sum(file.stat().st_size for file in pathlib.Path("/tmp").iterdir())')).output).toBe(
      1 + mebibytes * (1 << 20),
    );
  });

  test('that is damaged is detected by its code, and without keys the session is replayed', LONG, async () => {
    const options = { ...python, keys: KEYS };
    const signed = await kept('n = 1\ndef f(): return n', options);
    const at = signed.entries.findIndex(isCheckpoint);
    const changed = signed.entries.map((entry) => Uint8Array.from(entry));
    changed[at][changed[at].length >> 1] ^= 1;
    await expect(openSession('s', { ...options, store: storeOf(changed) })).rejects.toMatchObject({
      code: 'ERR_JOURNAL_INVALID',
      details: { entry: at },
    });
    const { entries } = await kept('n = 1\ndef f(): return n');
    for (const place of [300, entries[at].length >> 1, entries[at].length - 1]) {
      const unsigned = entries.map((entry) => Uint8Array.from(entry));
      unsigned[at][place] ^= 1;
      const session = await openSession('s', { ...python, store: storeOf(unsigned), tools: untouchable(TOOLS) });
      expect((await session.run('f()')).output, `byte ${place}`).toBe(1);
      await session.cleanup();
    }
  });

  test('that cannot be stored does not fail the run before it', LONG, async () => {
    const inner = memoryStore();
    let refused = 0;
    const store = storeThatAppends(inner, (id, after, entries, how) => {
      if (entries.some(isCheckpoint)) {
        refused++;
        throw new Error('the disk is full');
      }
      return inner.append(id, after, entries, how);
    });
    const session = await openSession('s', { store, ...python });
    await session.run('n = 1\ndef f(): return n');
    expect((await session.run(`${TAKES_LONG}\nf()`)).output).toBe(1);
    expect([refused, session.state]).toStrictEqual([1, 'DEAD']);
    const again = await openSession('s', { store: inner, ...python, tools: untouchable(TOOLS) });
    expect((await again.run('f()')).output).toBe(1);
  });

  test('is a blob of a store with files, and does not exist before its entry', LONG, async () => {
    const { store, keys } = inFolder();
    const session = await openSession('s', { store, keys, ...python });
    await session.run('n = 1\ndef f(): return n');
    await session.run(TAKES_LONG);
    await session.cleanup();
    const entries = await all(store.read('s'));
    const last = entries.at(-1);
    expect([last[0], last.length]).toStrictEqual([1, 33]);
    const again = await openSession('s', { store, keys, ...python, tools: untouchable(TOOLS) });
    expect((await again.run('f()')).output).toBe(1);
  });
});
