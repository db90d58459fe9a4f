// What servers of others say is bounded: it neither stalls the event loop nor takes all memory.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SERVER = fileURLToPath(new URL('fixtures/hostile-mcp-server.cjs', import.meta.url));
const HTTP_SERVER = fileURLToPath(new URL('fixtures/hostile-mcp-http.mjs', import.meta.url));
const SERVERS = fileURLToPath(new URL('../../build/adapters/mcp/servers.js', import.meta.url));

/**
 * Connects in a process with a small heap, calls the tools, and gives what they answer, and the most processor time
 * between two turns of the event loop, as a multiple of what writing a list of 5,000,000 numbers takes (about 100 ms).
 */
const PROGRAM = `
  const { connectServers } = require(${JSON.stringify(SERVERS)});
  const target = JSON.parse(process.argv[1]);
  if (target.url) target.url = new URL(target.url);
  const cpu = () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  };
  let [last, most, timer] = [cpu(), 0];
  const tick = () => {
    const now = cpu();
    most = Math.max(most, now - last);
    last = now;
    timer = setImmediate(tick);
  };
  tick();
  const shown = (value) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return text.length > 300 ? text.slice(0, 20) + ' ' + text.length : text;
  };
  void (async () => {
    let names;
    let warnings;
    const result = await connectServers([{ name: 'a', ...target }]).then(
      async ([{ definitions, close, ...server }]) => {
        names = Object.keys(definitions);
        ({ warnings } = server);
        const call = (name) =>
          definitions[name].execute({}, { signal: AbortSignal.timeout(process.argv[2] === 'hangs' ? 1_000 : 60_000) })
            .then(shown, ({ message }) => message);
        const answers = [await call('attack'), await call('ok')];
        await close();
        return answers;
      },
      ({ message }) => message,
    );
    clearImmediate(timer);
    const begin = cpu();
    JSON.stringify(Array(5e6).fill(1));
    const longest = most / (cpu() - begin);
    console.log(JSON.stringify({ result, longest, names, warnings }));
    process.exit();
  })();`;

async function attacked(attack, hangs = false) {
  return await attackedBy({ command: `"${process.execPath}" "${SERVER}" ${attack}` }, hangs);
}

async function attackedBy(target, hangs) {
  const args = ['--max-old-space-size=256', '-e', PROGRAM, JSON.stringify(target), ...(hangs ? ['hangs'] : [])];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  return { ...JSON.parse(stdout), stderr };
}

// Much more than on an idle machine (0.5), much less than before (several seconds).
const MAX_LONGEST = 10;

test.each([['numbers', [0, 1, 2, 3, 4].map((at) => `content.${at}: Invalid input`).join('; ')]])(
  'a result with %s instead of blocks is refused with its first errors',
  async (attack, issues) => {
    const { result, longest } = await attacked(attack);
    expect(result).toStrictEqual([`its answer is not valid: ${issues}`, 'ok']);
    expect(longest).toBeLessThan(MAX_LONGEST);
  },
);

test.each(['deep', 'open'])('a result that is nested too deeply fails only its own call: %s', async (attack) => {
  const { result, longest } = await attacked(attack);
  const text = 'MCP error -32600: the answer of the server a cannot be read: it is nested more than 1000 levels deep';
  expect(result).toStrictEqual([text, 'ok']);
  expect(longest).toBeLessThan(MAX_LONGEST);
});

test.each(['wide', 'meta'])('a result with too many keys fails only its own call: %s', async (attack) => {
  const { result, longest } = await attacked(attack);
  const text = 'MCP error -32600: a message, its result and its params may have at most 1000 keys each';
  expect(result).toStrictEqual([text, 'ok']);
  expect(longest).toBeLessThan(MAX_LONGEST);
});

// V8 lists the keys of an object in one step. To list those of this one takes 400 ms and more.
test('data with an object of 100,000 keys fails only its own call', async () => {
  const { result, longest } = await attacked('data');
  const text =
    'the answer of the server a cannot be read: an object in it has at least 100000 keys, and listing them takes too long';
  expect(result).toStrictEqual([`MCP error -32600: ${text}`, 'ok']);
  expect(longest).toBeLessThan(2);
});

test('text that is JSON with an object of 100,000 keys stays text', async () => {
  const { result, longest } = await attacked('json');
  expect(result).toStrictEqual(['{"k0":1,"k1":1,"k2": 5888891', 'ok']);
  expect(longest).toBeLessThan(2);
});

test.each([
  ['blocks', '\n'.repeat(20)],
  ['texts', '\n'.repeat(20)],
  ['failed', '{\n  a: [\n    [], [],'],
  ['lists', '{"a":[[],[],[],[],[]'],
  ['text', 'x'.repeat(20)],
  ['large', '{"rows":[{"id":0,"na'],
  ['dictionary', '{"k0":1,"k1":1,"k2":'],
])('a result that is merely large arrives: %s', async (attack, begins) => {
  const { result, longest } = await attacked(attack);
  expect([result[0].slice(0, 20), result[1]]).toStrictEqual([begins, 'ok']);
  expect(longest).toBeLessThan(MAX_LONGEST);
});

test.each(['pings', 'logs', 'answers', 'garbage', 'empty'])(
  'a server that endlessly writes %s neither stalls the host nor delays other answers',
  async (attack) => {
    const { result, longest } = await attacked(attack, true);
    expect(result[0]).toBe('MCP error -32001: TimeoutError: The operation was aborted due to timeout');
    expect(longest).toBeLessThan(MAX_LONGEST);
  },
);

// All tools were declared in one turn of the event loop.
test('tools with thousands of required properties do not stall the host', async () => {
  const { result, longest, names } = await attacked('required', true);
  expect(result[1]).toBe('ok');
  expect(names).toHaveLength(77);
  expect(longest).toBeLessThan(2);
});

test.each([
  ['cursor', 'it lists its tools on more than 1000 pages'],
  ['pages', 'the descriptions of its tools have more than 8388608 characters'],
  ['many', 'it lists more than 2000 tools'],
  ['instructions', 'MCP error -32600: its answer to initialize has more than 262144 characters'],
  ['capabilities', 'MCP error -32600: its answer to initialize has more than 262144 characters'],
])('a server with an oversized description of itself is refused: %s', async (attack, message) => {
  const { result, longest } = await attacked(attack);
  expect(result).toBe(`the server a cannot be used: ${message}`);
  expect(longest).toBeLessThan(MAX_LONGEST);
});

test.each(['description', 'properties'])(
  'a tool with an oversized description is omitted, and the others can be called: %s',
  async (attack) => {
    const { result, longest, names, warnings } = await attacked(attack, true);
    expect(names).toStrictEqual(['attack', 'ok']);
    expect(warnings).toStrictEqual(['the tool "a" of the server a is left out: its description is too long']);
    expect(result[1]).toBe('ok');
    expect(longest).toBeLessThan(MAX_LONGEST);
  },
);

test('the stderr of a server that endlessly writes to it is shortened, and its answers arrive', async () => {
  const { result, longest, stderr } = await attacked('stderr', true);
  expect(result).toStrictEqual(['MCP error -32001: TimeoutError: The operation was aborted due to timeout', 'ok']);
  expect(longest).toBeLessThan(MAX_LONGEST);
  expect(stderr.slice(0, 10)).toBe('\u20ac'.repeat(10));
  // 256 KiB, and 64 KiB in each second.
  expect(stderr.length).toBeGreaterThan(60_000);
  expect(stderr.length).toBeLessThan(1 << 20);
});

test('text that a server writes to stderr is passed on, and omitted characters are counted', async () => {
  const { passOnErrors } = createRequire(import.meta.url)('../../build/adapters/mcp/server-errors.js');
  const stream = new PassThrough();
  const written = [];
  passOnErrors('a', stream, { isTTY: true, write: (text) => written.push(text) });
  stream.write(Buffer.from('\u20ac\x1b[2J').subarray(0, 2));
  stream.write(Buffer.from('\u20ac\x1b[2J').subarray(2));
  stream.end(Buffer.alloc(300 << 10, 'x'));
  await once(stream, 'end');
  const text = written.join('');
  expect(text.slice(0, 5)).toBe('\u20ac\u241b[2J');
  const [, omitted] = /\n\[(\d+) bytes that the server a wrote to stderr are left out\]\n$/.exec(text);
  expect(text.match(/x/g).length + Number(omitted)).toBe(300 << 10);
  expect(Number(omitted)).toBeGreaterThan(0);
});

/** As `attacked`, with a server at an address. */
async function attackedOverHttp(attack, hangs = false) {
  const server = spawn(process.execPath, [HTTP_SERVER, attack], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [url] = await once(server.stdout, 'data');
    return await attackedBy({ url: String(url).trim() }, hangs);
  } finally {
    server.kill('SIGKILL');
  }
}

test.each([
  ['numbers', `its answer is not valid: ${[0, 1, 2, 3, 4].map((at) => `content.${at}: Invalid input`).join('; ')}`],
  ['blocks', expect.stringMatching(/^\n{20} \d+$/)],
  ['lines', 'the answer is too long: it may have at most 10485760 bytes'],
  ['long', 'the answer is too long: it may have at most 10485760 bytes'],
  ['error', `${'x'.repeat(1_000)}...`],
])(
  'a server at an address that answers with %s fails or answers its call and does not stall the host',
  async (attack, answer) => {
    const { result, longest } = await attackedOverHttp(attack);
    expect(result).toStrictEqual([answer, 'ok']);
    expect(longest).toBeLessThan(MAX_LONGEST);
  },
);

test.each(['comments', 'notifications', 'pings'])(
  'a server at an address that endlessly writes %s neither stalls the host nor delays other answers',
  async (attack) => {
    const { result, longest } = await attackedOverHttp(attack, true);
    expect(result).toStrictEqual([expect.stringContaining('aborted due to timeout'), 'ok']);
    expect(longest).toBeLessThan(MAX_LONGEST);
  },
);

test('a server at an address with an oversized description of itself is refused', async () => {
  const { result, longest } = await attackedOverHttp('instructions');
  expect(result).toBe('the server a cannot be used: its answer to initialize has more than 262144 characters');
  expect(longest).toBeLessThan(MAX_LONGEST);
});
