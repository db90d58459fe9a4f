// Requests of Python code: the host makes them under `network`, to real servers of this machine.

import { createRequire } from 'node:module';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { DurableSession, memoryStore, waitForAnswer } from '../../build/durable/index.js';
import { PyodideExecutor, addPackages } from '../../build/python/index.js';
import { ROOT, deferred, spawnNode } from '../helpers.mjs';
import { serve } from '../http-server.mjs';
import { FIRST_START_MS, failureOf } from './suite.mjs';
import { buildWheels } from './wheels.mjs';

// The modules of the package load each other this way: each is loaded once.
const require = createRequire(import.meta.url);
const { languageText } = require('../../build/adapters/code-tool/language.js');
const { offerOf } = require('../../build/contract/executor.js');

const SECRET = 'Bearer abcdefgh-12345678';
const WALK = readFileSync(new URL('fixtures/walk.py', import.meta.url), 'utf8');
const WALK_MS = 500_000;

/** Requests that the server got: method, path, `authorization`. */
let seen = [];
/** Resolves when the connection of a request that gets no answer is closed. */
let closed;
let server;
let api;
let executor;
const calls = [];
beforeAll(async () => {
  server = await serve(
    async (request, response) => {
      let text = '';
      for await (const part of request) text += part;
      const { method, url, headers } = request;
      seen.push([method, url, headers.authorization]);
      const { pathname } = new URL(url, api);
      if (pathname === '/none') return response.writeHead(404, { 'x-why': 'gone' }).end('no such page');
      if (pathname === '/login') {
        const cookies = [
          'sid=1; Path=/; HttpOnly',
          'old=x; Max-Age=0',
          'far=1; Domain=other.example',
          'deep=2; Path=/deep',
          'odd=4; Max-Age=--5; Path=/',
          'two=5; Expires=Wed, 21-Oct-37 07:28:00 GMT; Path=/',
          'late=6; Expires=Wed, 21 Oct 99999999999 07:28:00 GMT; Path=/',
        ];
        return response.writeHead(302, { location: '/cookies', 'set-cookie': cookies }).end();
      }
      if (pathname === '/cookies')
        return response.end(JSON.stringify({ url, cookie: headers.cookie ?? null, own: headers['x-own'] ?? null }));
      if (pathname === '/moved') return response.writeHead(302, { location: '/echo' }).end();
      if (pathname === '/metadata')
        return response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
      if (pathname === '/large') return response.end(Buffer.alloc(70_000, 'x'));
      if (pathname === '/lines') return response.end('a\nb\nc');
      if (pathname === '/latin1')
        return response.writeHead(200, { 'content-type': 'text/plain; charset=latin1' }).end(Buffer.from([0xe9]));
      if (pathname === '/silent') return response.on('close', () => closed.resolve());
      response.writeHead(200, { 'content-type': 'application/json', 'x-Two': ['1', '2'] });
      response.end(JSON.stringify({ method, url, type: headers['content-type'], own: headers['x-own'], text }));
    },
    { isKept: true },
  );
  api = server.url;
  executor = new PyodideExecutor(undefined, {
    mount: false,
    network: { ...policy(), headers: { [api]: { authorization: SECRET } } },
    onToolCall: ({ name, args }) => void calls.push([name, args]),
  });
  await executor.sendVariables({ api });
}, FIRST_START_MS);
beforeEach(() => {
  seen = [];
  calls.length = 0;
  closed = deferred();
});
afterAll(async () => {
  await executor.cleanup();
  await server.close();
});

const policy = (more = {}) => ({ allow: [api], methods: ['GET', 'HEAD', 'POST'], maxBytes: 65_536, ...more });
const output = async (code) => (await executor.run(code)).output;
async function withPython(options, fn) {
  const own = new PyodideExecutor(undefined, { mount: false, ...options });
  try {
    await own.sendVariables({ api });
    return await fn(own);
  } finally {
    await own.cleanup();
  }
}

test('a timeout is a bound on the whole request', async () => {
  const code = `
import requests
from urllib.request import urlopen
def failure(work):
    try:
        return work()
    except Exception as error:
        kinds = [isinstance(error, kind) for kind in (requests.exceptions.Timeout, TimeoutError)]
        return [type(error).__name__, *kinds, str(error)]
[
    failure(lambda: requests.get(api + "/silent", timeout=0.05)),
    failure(lambda: requests.Session().get(api + "/silent", timeout=(0.02, 0.03))),
    failure(lambda: urlopen(api + "/silent", timeout=0.05)),
    failure(lambda: requests.get(api + "/lines", timeout=60).text),
    failure(lambda: requests.get(api, timeout=0)),
]`;
  expect(await output(code)).toStrictEqual([
    ['ReadTimeout', true, false, 'the request took longer than 50 ms'],
    ['ReadTimeout', true, false, 'the request took longer than 50 ms'],
    ['TimeoutError', false, true, '<urlopen error the request took longer than 50 ms>'],
    'a\nb\nc',
    ['ValueError', false, false, 'the timeout must be greater than 0, got 0'],
  ]);
});

describe('sessions of requests', () => {
  test('keep headers, parameters and cookies, also those of redirects', async () => {
    const code = `
import requests
with requests.Session() as session:
    session.headers.update({"X-Own": "mine"})
    session.params = {"p": "1"}
    first = session.get(api + "/login")
    again = session.get(api + "/cookies", params={"q": 2}, headers={"x-own": None}, cookies={"once": "3"})
    deep = session.get(api + "/cookies")
[[first.status_code, [step.status_code for step in first.history], first.url == api + "/cookies", first.json()], again.json(),
    deep.json()["cookie"], session.cookies.get_dict(), "sid" in session.cookies, first.history[0].cookies["sid"]]`;
    expect(await output(code)).toStrictEqual([
      [200, [302], true, { url: '/cookies', cookie: 'sid=1; odd=4; two=5; late=6', own: 'mine' }],
      { url: '/cookies?p=1&q=2', cookie: 'once=3; sid=1; odd=4; two=5; late=6', own: null },
      'sid=1; odd=4; two=5; late=6',
      { sid: '1', deep: '2', odd: '4', two: '5', late: '6' },
      true,
      '1',
    ]);
    expect(seen.map(([method, url]) => [method, url])).toStrictEqual([
      ['GET', '/login?p=1'],
      ['GET', '/cookies'],
      ['GET', '/cookies?p=1&q=2'],
      ['GET', '/cookies?p=1'],
    ]);
  });

  test('send forms with files, and refuse what the host decides', async () => {
    const code = `
import requests
from requests.auth import HTTPBasicAuth
def failure(work):
    try:
        work()
    except Exception as error:
        return [type(error).__name__, str(error)]
sent = requests.session().post(api + "/echo", data={"a": 1}, files={"f": ("n.txt", b"AB", "text/plain")}, auth=HTTPBasicAuth("u", "p")).json()
boundary = sent["type"].partition("boundary=")[2]
[sent["type"].startswith("multipart/form-data; "), sent["text"].replace(boundary, "B"),
    failure(lambda: requests.get(api, verify=False)), failure(lambda: requests.Session().mount("https://", None)),
    failure(lambda: requests.get(api, tiemout=1))]`;
    const form = [
      '--B',
      'Content-Disposition: form-data; name="a"',
      '',
      '1',
      '--B',
      'Content-Disposition: form-data; name="f"; filename="n.txt"',
      'Content-Type: text/plain',
      '',
      'AB',
      '--B--',
      '',
    ];
    expect(await output(code)).toStrictEqual([
      true,
      form.join('\r\n'),
      ['TypeError', 'verify is not available, because the host makes the request: leave it out'],
      ['NotImplementedError', 'there are no adapters, because the host makes the requests: leave out mount()'],
      ['TypeError', "request() got an unexpected keyword argument 'tiemout'"],
    ]);
  });
});

describe('urllib', () => {
  test('a response has status, headers and body, as in CPython', async () => {
    const code = `
import json, urllib.request
with urllib.request.urlopen(api + "/echo?a=1") as response:
    known = [response.status, response.code, response.getcode(), response.reason, response.geturl() == api + "/echo?a=1"]
    headers = [response.headers["Content-Type"], response.headers.get("x-none"), response.getheader("X-TWO"),
        response.headers.get_all("x-two"), response.info().get_content_type(), "x-two" in response.headers]
    body = json.load(response)
[known, headers, body["method"], body["url"], response.read().decode()]`;
    expect(await output(code)).toStrictEqual([
      [200, 200, 200, 'OK', true],
      ['application/json', null, '1, 2', ['1', '2'], 'application/json', true],
      'GET',
      '/echo?a=1',
      '',
    ]);
    expect(seen).toStrictEqual([['GET', '/echo?a=1', SECRET]]);
    expect(calls).toStrictEqual([['fetch', [`${api}/echo?a=1`, { method: 'GET', headers: [], redirect: 'follow' }]]]);
  });

  test('a request has data, headers and a method', async () => {
    const code = `
import json
from urllib.parse import urlencode
from urllib.request import Request, urlopen
def sent(*args, **options):
    body = json.loads(urlopen(Request(api + "/echo", *args, **options)).read().decode())
    return [body.get("method"), body.get("type"), body.get("own"), body.get("text")]
[sent(urlencode({"a": "b c"}).encode()), sent(b"{}", {"Content-Type": "application/json", "X-Own": "1"}),
    sent(data=b"x", method="POST")]`;
    const form = 'application/x-www-form-urlencoded';
    expect(await output(code)).toStrictEqual([
      ['POST', form, null, 'a=b+c'],
      ['POST', 'application/json', '1', '{}'],
      ['POST', form, null, 'x'],
    ]);
  });

  test('a response is read in parts and by lines', async () => {
    const code = `
import urllib.request
response = urllib.request.urlopen(api + "/lines")
first = response.read(1)
[first.decode(), [line.decode() for line in response]]`;
    expect(await output(code)).toStrictEqual(['a', ['\n', 'b\n', 'c']]);
  });

  test('an error status is an HTTPError, which can be read', async () => {
    const code = `
from urllib.error import HTTPError, URLError
from urllib.request import urlopen
try:
    urlopen(api + "/none")
except HTTPError as error:
    found = [str(error), error.code, error.reason, error.headers["X-Why"], error.read().decode(), error.url == api + "/none"]
[found, issubclass(HTTPError, URLError), issubclass(URLError, OSError)]`;
    expect(await output(code)).toStrictEqual([
      ['HTTP Error 404: Not Found', 404, 'Not Found', 'gone', 'no such page', true],
      true,
      true,
    ]);
  });

  test('an HTTPError that is not caught ends the run with the text of CPython', async () => {
    const { message } = await failureOf(executor, 'import urllib.request\nurllib.request.urlopen(api + "/none")');
    expect(message).toContain('HTTPError: HTTP Error 404: Not Found');
  });

  test('a body that is a string is a TypeError', async () => {
    const { message } = await failureOf(executor, 'import urllib.request\nurllib.request.urlopen(api, "text")');
    expect(message).toContain('TypeError: POST data should be bytes');
    expect(seen).toStrictEqual([]);
  });
});

describe('P23: destinations of Python', () => {
  const reason = (url) => `
from urllib.error import URLError
from urllib.request import urlopen
try:
    urlopen(${url})
    found = None
except URLError as error:
    found = str(error.reason)
found`;

  test('other hosts, addresses and methods are refused', async () => {
    const refused = async (url) => output(reason(url));
    expect(await refused('"https://example.com/"')).toBe(`https://example.com is not allowed; allowed here: ${api}`);
    expect(await refused('api + "/metadata"')).toBe(`http://169.254.169.254 is not allowed; allowed here: ${api}`);
    expect(await refused('"file:///etc/passwd"')).toBe('file: is not allowed; use https:');
    const code = `
import requests
try:
    requests.delete(api + "/echo")
except requests.ConnectionError as error:
    found = str(error)
found`;
    expect(await output(code)).toBe('the method DELETE is not allowed; allowed here: GET, HEAD, POST');
    expect(seen).toStrictEqual([['GET', '/metadata', SECRET]]);
  });

  test('a name that leads to a private address is refused', async () => {
    const lookup = (name, options, done) => done(null, [{ address: '10.0.0.1', family: 4 }]);
    await withPython({ network: { allow: ['http://inside.example'], lookup } }, async (own) => {
      expect((await own.run(reason('"http://inside.example/"'))).output).toBe(
        'inside.example resolves to an address that is neither public nor in network.allow',
      );
    });
  });

  test('bytes and requests are limited', async () => {
    expect(await output(reason('api + "/large"'))).toBe('the response has more than 65536 bytes (network.maxBytes)');
    await withPython({ network: policy({ maxRequests: 2 }) }, async (own) => {
      const code = `import urllib.request\nfor _ in range(2): urllib.request.urlopen(api)\n${reason('api')}`;
      expect((await own.run(code)).output).toBe('a run may make at most 2 requests (network.maxRequests)');
    });
  });

  test('a request ends with its run', async () => {
    await withPython({ network: policy(), timeoutMs: 1_000 }, async (own) => {
      const { code } = await failureOf(own, 'import urllib.request\nurllib.request.urlopen(api + "/silent")');
      expect(code).toBe('ERR_EXEC_TIMEOUT');
      await closed.promise;
    });
  });

  test('without the option there is no such module', async () => {
    await withPython({}, async (own) => {
      for (const name of ['urllib.request', 'urllib.parse', 'requests', 'pyodide.http']) {
        const { code, details } = await failureOf(own, `import ${name}`);
        expect([code, details.module]).toStrictEqual(['ERR_IMPORT_NOT_ALLOWED', name]);
      }
    });
  });

  test('with it there are only the modules for requests', async () => {
    for (const name of ['socket', 'http.client', 'urllib.response', 'urllib.robotparser', 'pyodide.code', 'os']) {
      const { code, details } = await failureOf(executor, `import ${name}`);
      expect([code, details.module]).toStrictEqual(['ERR_IMPORT_NOT_ALLOWED', name]);
      expect(details.hint).toContain('urllib.request');
    }
    const { message } = await failureOf(executor, 'from urllib import response');
    expect(message).toContain("ImportError: cannot import name 'response' from 'urllib'");
  });

  test(
    'its modules lead to no forbidden module and to nothing that opens files',
    async () => {
      const names = ['urllib', 'requests', 'pyodide'];
      const walk = WALK.replace(
        'ALLOWED = {',
        `import urllib.request, urllib.error, urllib.parse, requests.exceptions, requests, pyodide.http\nALLOWED = {${names.map((name) => `"${name}"`).join(', ')}, `,
      );
      const limits = { max_operations: 1e12, max_while_iterations: 1e12, timeoutMs: WALK_MS, memoryLimitMb: 512 };
      await withPython({ ...limits, network: policy() }, async (own) => {
        await own.sendVariables({ user: { name: 'Ada' } });
        await own.sendTools({
          boom: () => {
            throw new Error('boom');
          },
        });
        expect((await own.run(walk)).output).toStrictEqual([true, []]);
      });
    },
    WALK_MS + FIRST_START_MS,
  );
});

describe('P24: credentials in Python', () => {
  test('code does not see them, not even where the server repeats them', async () => {
    const code = `
import requests
response = requests.get(api + "/echo", headers={"Authorization": "mine", "X-Own": "1"})
[repr(vars(response)), response.json()["own"]]`;
    const [text, own] = await output(code);
    expect([text.includes('abcdefgh-12345678'), own]).toStrictEqual([false, '1']);
    expect(seen).toStrictEqual([['GET', '/echo', SECRET]]);
    expect(JSON.stringify(calls)).not.toContain('abcdefgh');
  });
});

describe('requests', () => {
  test('the functions send and read what the package would', async () => {
    const code = `
import requests
sent = requests.post(api + "/echo", json={"a": [1, None]}, params={"q": "é x", "list": [1, 2]}, headers={"X-Own": "1"})
form = requests.request("post", api + "/echo", data={"a": "b c"}).json()
moved, still = requests.get(api + "/moved"), requests.get(api + "/moved", allow_redirects=False)
latin = requests.get(api + "/latin1")
[[sent.status_code, sent.ok, sent.json(), sent.headers["CONTENT-type"], sent.headers.get("x-two")],
    [form["type"], form["text"]], [moved.status_code, moved.url == api + "/echo", still.status_code, still.headers["location"]],
    [latin.text, list(latin.content), latin.encoding], requests.head(api + "/echo").content.decode()]`;
    expect(await output(code)).toStrictEqual([
      [
        200,
        true,
        {
          method: 'POST',
          url: '/echo?q=%C3%A9+x&list=1&list=2',
          type: 'application/json',
          own: '1',
          text: '{"a": [1, null]}',
        },
        'application/json',
        '1, 2',
      ],
      ['application/x-www-form-urlencoded', 'a=b+c'],
      [200, true, 302, '/echo'],
      ['é', [0xe9], 'latin1'],
      '',
    ]);
  });

  test('errors are those of the package', async () => {
    const code = `
import requests
response = requests.get(api + "/none")
try:
    response.raise_for_status()
except requests.exceptions.HTTPError as error:
    found = [str(error) == f"404 Client Error: Not Found for url: {api}/none", error.response.status_code]
try:
    response.json()
except requests.exceptions.JSONDecodeError as error:
    found.append(isinstance(error, ValueError))
[found, response.ok, bool(response), repr(response)]`;
    expect(await output(code)).toStrictEqual([[true, 404, true], false, false, '<Response [404]>']);
  });
});

test('an installed package requests that code may import comes first', async () => {
  const root = mkdtempSync(join(tmpdir(), 'requests-'));
  const packages = join(root, 'packages');
  const files = { 'requests.py': 'KIND = "installed"' };
  await addPackages(packages, await buildWheels(root, [{ name: 'requests', version: '1.0', files }]));
  try {
    const code = 'import requests\nhasattr(requests, "KIND")';
    for (const imports of [['requests'], ['math']]) {
      await withPython({ network: policy(), packages, authorized_imports: imports }, async (own) => {
        expect((await own.run(code)).output).toBe(imports[0] === 'requests');
      });
    }
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('pyfetch makes requests at the same time', async () => {
  const code = `
import asyncio
from pyodide.http import pyfetch
async def one(number):
    response = await pyfetch(f"{api}/echo?{number}", method="POST", body="x")
    return [response.ok, response.status, (await response.json())["url"]]
await asyncio.gather(*(one(number) for number in range(3)))`;
  const expected = [0, 1, 2].map((number) => [true, 200, `/echo?${number}`]);
  await withPython({ network: policy(), authorized_imports: ['asyncio'] }, async (own) => {
    expect((await own.run(code)).output).toStrictEqual(expected);
  });
});

test('onToolCall can refuse a request or answer it', async () => {
  const onToolCall = ({ args: [url] }) => {
    if (url.endsWith('/refused')) throw new Error('not this one');
    return { result: { status: 201, headers: { 'x-a': 'b' }, body: 'given' } };
  };
  await withPython({ network: policy(), onToolCall }, async (own) => {
    const code = `
import requests
response = requests.get(api + "/any")
try:
    requests.get(api + "/refused")
except ToolError as error:
    found = error.message
[response.status_code, response.reason, response.headers["X-A"], response.text, found]`;
    expect((await own.run(code)).output).toStrictEqual([201, 'Created', 'b', 'given', 'not this one']);
  });
  expect(seen).toStrictEqual([]);
});

test('requests count as tool calls and are held to a plan', async () => {
  await withPython({ network: policy(), maxToolCalls: 1 }, async (own) => {
    const { code } = await failureOf(own, 'import requests\nrequests.get(api)\nrequests.get(api)');
    expect(code).toBe('ERR_TOOL_CALL_LIMIT_EXCEEDED');
    const { stats } = await own.run('import requests\nrequests.get(api).status_code');
    expect(stats.toolCalls).toBe(1);
  });
  const plan = { version: 1, tools: [], unresolved: [] };
  const error = await failureOf(executor, 'import requests\nrequests.get(api)', { plan });
  expect([error.code, error.details.tool]).toStrictEqual(['ERR_TOOL_PROXY_FAIL', 'fetch']);
  expect(seen).toHaveLength(2);
});

test('a replay of a durable session asks no server', async () => {
  const network = { ...policy(), headers: { [api]: { authorization: SECRET } } };
  const store = memoryStore();
  const options = { store, engine: 'python', executor: { network }, tools: { ask: () => waitForAnswer('?') } };
  const open = () => DurableSession.open('python', options);
  const session = await open();
  await session.run(`import requests\ntext = requests.get("${api}/echo").text`);
  const { output: before } = await session.run('text');
  const names = [];
  for await (const { type, name } of session.history()) if (type === 'call') names.push(name);
  await session.cleanup();
  expect([seen.length, names]).toStrictEqual([1, ['fetch']]);
  const again = await open();
  expect((await again.run('text')).output).toBe(before);
  expect(seen).toHaveLength(1);
  // The interpreter comes from the journal, and new requests are made.
  expect((await again.run(`requests.get("${api}/echo").status_code`)).output).toBe(200);
  expect(seen).toHaveLength(2);
  await again.cleanup();
  const stored = [];
  for await (const entry of store.read('python')) stored.push(Buffer.from(entry).toString('latin1'));
  expect(stored.join('')).not.toContain('abcdefgh-12345678');
});

test('descriptions for models name the modules and hosts', () => {
  const { surroundings } = languageText('python');
  const own = new (require('../../build/python/index.js').PyodideExecutor)([], { mount: false, network: policy() });
  expect(surroundings(offerOf(own), false)).toMatch(
    /There is no file system\. The only modules are urllib\.request.*requests.*\. `urllib\.request` and `requests` reach only http:\/\/127\.0\.0\.1:\d+, with GET, HEAD, POST\.$/,
  );
});

test('wrong policies are refused', () => {
  expect(() => new PyodideExecutor(undefined, { network: { allow: ['a b'] } })).toThrow(
    /options\.network\.allow\[0\] must be a host such as/,
  );
  expect(() => new PyodideExecutor(undefined, { engine: 'host', network: { allow: [] } })).toThrow(
    'options.network needs an isolate: engine "host" runs Python unprotected, without limits',
  );
});

test('--allow-host allows a host', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'requests-'));
  const file = join(folder, 'program.py');
  writeFileSync(file, `import requests\nrequests.get("${api}/echo").status_code`);
  try {
    const bin = join(ROOT, 'bin', 'ses-executor.js');
    const { status, stdout } = await spawnNode([bin, 'run', '--allow-host', api, file]);
    expect([status, stdout]).toStrictEqual([0, '200\n']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
