// Bodies of requests and responses of guests: blobs, files, forms and streams, with a real server of this machine.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { DurableSession, memoryStore } from '../../build/durable/index.js';
import { withExecutor } from '../helpers.mjs';
import { serve } from '../http-server.mjs';

const LARGE = Buffer.alloc(150_000, 'abc');
const PART = 64 << 10;

/** The requests that the server got: content type and bytes. */
let seen = [];
let server;
beforeAll(async () => {
  const answers = {
    '/text': (response) => response.setHeader('content-type', 'text/plain').end('één'),
    '/large': (response) => response.end(LARGE),
    '/empty': (response) => response.writeHead(204).end(),
    '/multipart': async (response) => {
      const form = new FormData();
      form.append('a', 'b');
      const made = new Response(form);
      response.setHeader('content-type', made.headers.get('content-type')).end(await made.text());
    },
    '/query': (response) =>
      response.setHeader('content-type', 'application/x-www-form-urlencoded').end('a=1&a=2&b=c+d%26'),
    '/post': async (response, request) => {
      const parts = [];
      for await (const part of request) parts.push(part);
      seen.push([request.headers['content-type'], Buffer.concat(parts)]);
      response.end('posted');
    },
  };
  server = await serve((request, response) => answers[request.url](response, request), { isKept: true });
});
afterAll(() => server.close());

const options = () => ({
  globals: ['fetch'],
  network: { allow: [server.url], methods: ['GET', 'POST'], maxBytes: 1 << 20 },
});
const output = (code, tools = {}) =>
  withExecutor(options(), tools, async (executor) => (await executor.run(code)).output);
/** What the server got when a program posts a body. */
const posted = async (body, more = '') => {
  seen = [];
  await output(`${more}\nawait (await fetch('${server.url}/post', { method: 'POST', body: ${body} })).text()`);
  const [[type, bytes]] = seen;
  return [type, bytes];
};
const FAILURE =
  'const failure = async (work) => { try { await work(); } catch ({ name, message }) { return [name, message]; } };';

describe('blobs', () => {
  test('consist of strings, bytes and blobs, and can be read in all ways', async () => {
    const code = `
      const blob = new Blob(['é', new Uint8Array([65, 66]), new Uint8Array([67, 68]).buffer, new Blob(['e']), 1], { type: 'Text/Plain' });
      const parts = [];
      for await (const part of blob.stream()) parts.push(...part);
      [blob.size, blob.type, await blob.text(), [...await blob.bytes()].length, (await blob.arrayBuffer()).byteLength,
        parts.length, await new Response(blob).text(), String(blob), blob instanceof Blob]`;
    expect(await output(code)).toStrictEqual([8, 'text/plain', 'éABCDe1', 8, 8, 8, 'éABCDe1', '[object Blob]', true]);
  });

  test('slices take the same offsets as those of arrays', async () => {
    const code = `const blob = new Blob(['abcdef']);
      const text = (...args) => blob.slice(...args).text();
      [await text(1, 3), await text(-2), await text(0, -4), await text(4, 2), await text(2.9), await text(NaN, 99), blob.slice(0, 1, 'a/b').type]`;
    expect(await output(code)).toStrictEqual(['bc', 'ef', 'ab', '', 'cdef', 'abcdef', 'a/b']);
  });

  test('the bytes cannot be changed from outside', async () => {
    const code = `const bytes = new Uint8Array([1, 2]);
      const blob = new Blob([bytes]);
      bytes[0] = 9;
      (await blob.bytes())[0] = 9;
      (await blob.stream().getReader().read()).value[0] = 9;
      [...await blob.bytes()]`;
    expect(await output(code)).toStrictEqual([1, 2]);
  });

  test('files have a name and a time', async () => {
    const code = `const before = Date.now();
      const file = new File(['a'], 'a.txt', { type: 'text/plain' });
      [file.name, file.type, file.size, file.lastModified >= before, new File([], 'b', { lastModified: 5 }).lastModified,
        file instanceof Blob, await file.text()]`;
    expect(await output(code)).toStrictEqual(['a.txt', 'text/plain', 1, true, 5, true, 'a']);
  });

  test('wrong arguments are refused with a correction', async () => {
    const code = `${FAILURE}
      [await failure(() => new Blob('text')), await failure(() => new File(['a'])), await failure(() => new FormData({ a: 1 })),
        await failure(() => new FormData().append('a')), await failure(() => new FormData().append('a', 'b', 'c.txt'))]`;
    expect(await output(code)).toStrictEqual([
      ['TypeError', 'Blob: the first argument must be a list of parts, such as [text]'],
      ['TypeError', 'File needs a list of parts and a name'],
      ['TypeError', 'FormData: the constructor takes no argument; call append(name, value) for each field'],
      ['TypeError', 'append needs a name and a value'],
      ['TypeError', 'append: only a Blob has a file name; pass new Blob([content])'],
    ]);
  });

  test('they become bytes in outputs and in arguments of tools', async () => {
    const got = [];
    const code = `const blob = new Blob(['ab']);
      await save({ file: blob, list: [blob] });
      ({ blob, file: new File(['c'], 'c.txt') })`;
    expect(await output(code, { save: async (value) => void got.push(value) })).toStrictEqual({
      blob: new Uint8Array([97, 98]),
      file: new Uint8Array([99]),
    });
    expect(got).toStrictEqual([{ file: new Uint8Array([97, 98]), list: [new Uint8Array([97, 98])] }]);
    expect(await output("final_answer(new Blob(['a']))")).toStrictEqual(new Uint8Array([97]));
  });
});

describe('forms and headers', () => {
  const MAKE = `const form = new FormData();
    form.append('a', 'b');
    form.append('file', new Blob(['ab']), 'a.txt');
    const headers = new Headers({ 'X-B': '1', a: '2' });
    headers.append('a', '3');`;
  const PAIRS = [
    ['a', 'b'],
    ['file', new Uint8Array([97, 98])],
  ];
  const HEADERS = [
    ['a', '2, 3'],
    ['x-b', '1'],
  ];

  // They crossed as objects without properties.
  test('as outputs and arguments of tools they are their pairs', async () => {
    const got = [];
    const save = async (...values) => void got.push(values);
    expect(await output(`${MAKE} await save(form, { headers }); [form, headers]`, { save })).toStrictEqual([
      PAIRS,
      HEADERS,
    ]);
    expect(got).toStrictEqual([[PAIRS, { headers: HEADERS }]]);
    expect(await output('new FormData()')).toStrictEqual([]);
    expect(await output(`(await fetch('${server.url}/text')).headers`)).toContainEqual(['content-type', 'text/plain']);
  });

  test('in a recorded session they are the same again', async () => {
    const store = memoryStore();
    const open = () => DurableSession.open('s', { store, executor: options() });
    const session = await open();
    await session.run(MAKE);
    await session.cleanup();
    const again = await open();
    expect((await again.run('[form, headers]')).output).toStrictEqual([PAIRS, HEADERS]);
    await again.cleanup();
  });
});

describe('bodies of requests', () => {
  test('a blob is sent with its type', async () => {
    expect(await posted("new Blob(['a'], { type: 'text/csv' })")).toStrictEqual(['text/csv', Buffer.from('a')]);
    expect(await posted("new Blob(['a'])")).toStrictEqual([undefined, Buffer.from('a')]);
    expect(await posted("new Response('é').body")).toStrictEqual([undefined, Buffer.from('é')]);
  });

  test('a form is read by another implementation as it was made', async () => {
    const make = `const form = new FormData();
      form.append('plain', 'é');
      form.append('list', 1);
      form.append('list', 'x\\ny');
      form.append('file', new Blob([new Uint8Array([0, 13, 10, 255])]), 'a "b".bin');
      form.append('named', new File(['<p>'], 'ü.html', { type: 'text/html' }));
      form.append('unnamed', new Blob(['u']));`;
    const [type, bytes] = await posted('form', make);
    expect(type).toMatch(/^multipart\/form-data; boundary=----form-[0-9a-f]{32}$/);
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
    const entries = [];
    for (const [name, value] of form) {
      entries.push(
        typeof value === 'string'
          ? [name, value]
          : [name, value.name, value.type, [...new Uint8Array(await value.arrayBuffer())]],
      );
    }
    expect(entries).toStrictEqual([
      ['plain', 'é'],
      ['list', '1'],
      ['list', 'x\r\ny'],
      ['file', 'a "b".bin', 'application/octet-stream', [0, 13, 10, 255]],
      ['named', 'ü.html', 'text/html', [60, 112, 62]],
      ['unnamed', 'blob', 'application/octet-stream', [117]],
    ]);
  });

  test('the bytes of a form are those of the standard', async () => {
    const make = `const form = new FormData();
      form.append('a"\\r\\n', 'b');
      form.append('f', new File(['c'], 'x\\n.txt', { type: 'text/plain' }));`;
    const [type, bytes] = await posted('form', make);
    const boundary = type.slice('multipart/form-data; boundary='.length);
    expect(bytes.toString()).toBe(
      [
        `--${boundary}`,
        'Content-Disposition: form-data; name="a%22%0D%0A"',
        '',
        'b',
        `--${boundary}`,
        'Content-Disposition: form-data; name="f"; filename="x%0A.txt"',
        'Content-Type: text/plain',
        '',
        'c',
        `--${boundary}--`,
        '',
      ].join('\r\n'),
    );
  });

  test('a form can be changed and read', async () => {
    const code = `const form = new FormData();
      form.append('a', 1); form.append('b', 2); form.append('a', 3); form.set('a', 4); form.set('c', new Blob(['x']), 'x.txt');
      form.delete('b');
      const seen = [];
      form.forEach((value, name) => seen.push(name));
      [form.get('a'), form.getAll('a'), form.get('none'), form.has('b'), form.get('c').name, [...form.keys()], seen,
        [...form.values()].length, [...form][0], Object.fromEntries(form).a]`;
    expect(await output(code)).toStrictEqual([
      '4',
      ['4'],
      null,
      false,
      'x.txt',
      ['a', 'c'],
      ['a', 'c'],
      2,
      ['a', '4'],
      '4',
    ]);
  });

  test('a form that has more than maxBytes is refused', async () => {
    const code = `${FAILURE}
      const form = new FormData();
      form.append('a', new Blob([new Uint8Array(2 ** 20)]));
      await failure(() => fetch('${server.url}/post', { method: 'POST', body: form }))`;
    const message = 'fetch: the body of the request has more than 1048576 bytes (network.maxBytes)';
    expect(await output(code)).toStrictEqual(['TypeError', message]);
  });

  test('other objects are refused', async () => {
    const code = `${FAILURE} await failure(() => fetch('${server.url}/post', { method: 'POST', body: { a: 1 } }))`;
    const message =
      'fetch: the body must be a string, bytes, a Blob, FormData or URLSearchParams; send JSON.stringify(body)';
    expect(await output(code)).toStrictEqual(['TypeError', message]);
  });

  test('a form of a durable session is the same in a replay, which makes no request', async () => {
    const durable = { store: memoryStore(), executor: options() };
    seen = [];
    const session = await DurableSession.open('form', durable);
    await session.run(`const form = new FormData();
      form.append('file', new Blob(['a']), 'a.txt');
      const request = new Request('${server.url}/post', { method: 'POST', body: form });
      const type = request.headers.get('content-type');
      const answer = await (await fetch(request)).text();
      const second = new Request('${server.url}/post', { method: 'POST', body: form }).headers.get('content-type');`);
    const reading = '[type, second, await request.text(), answer, form.get("file").lastModified]';
    const before = (await session.run(reading)).output;
    await session.cleanup();
    const again = await DurableSession.open('form', durable);
    // The reading is in the journal, too, and can be made once.
    expect((await again.run('[type, second, answer, form.get("file").lastModified]')).output).toStrictEqual(
      before.toSpliced(2, 1),
    );
    await again.cleanup();
    expect(seen.map(([type, bytes]) => [type, bytes.toString()])).toStrictEqual([[before[0], before[2]]]);
    expect(before[0]).not.toBe(before[1]);
  });
});

describe('bodies of responses', () => {
  const get = (path) => `await fetch('${server.url}${path}')`;

  test('are blobs with the type of the response', async () => {
    const code = `const blob = await (${get('/text')}).blob();
      [blob.type, blob.size, await blob.text(), (await (${get('/empty')}).blob()).size]`;
    expect(await output(code)).toStrictEqual(['text/plain', 5, 'één', 0]);
  });

  test('are read in parts by for await and by readers', async () => {
    const code = `const sizes = [];
      for await (const part of (${get('/large')}).body) sizes.push(part.length);
      const response = ${get('/large')};
      const reader = response.body.getReader();
      const decoder = new TextDecoder();
      let text = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        text += decoder.decode(value, { stream: true });
      }
      [sizes, text.length, text === 'abc'.repeat(50_000), response.bodyUsed, response.body.locked, (${get('/empty')}).body]`;
    const sizes = [PART, PART, LARGE.length - 2 * PART];
    expect(await output(code)).toStrictEqual([sizes, LARGE.length, true, true, true, null]);
  });

  test('are read once, whichever way', async () => {
    const code = `${FAILURE}
      const response = ${get('/text')};
      const { body } = response;
      const reader = body.getReader();
      const failures = [await failure(() => response.text()), await failure(() => response.clone()), await failure(() => body.getReader())];
      reader.releaseLock();
      failures.push(await failure(() => reader.read()));
      const text = await response.text();
      const rest = [];
      for await (const part of body) rest.push(part);
      const other = ${get('/large')};
      for await (const part of other.body) break;
      failures.push(await failure(() => other.bytes()));
      [failures, text, rest, body === response.body, other.bodyUsed]`;
    const read = ['TypeError', 'The body was read already; use clone() before it is read'];
    const locked = ['TypeError', 'The stream has a reader already; call releaseLock() of the reader first'];
    const released = ['TypeError', 'The reader was released; call getReader() again'];
    expect(await output(code)).toStrictEqual([[read, read, locked, released, read], 'één', [], true, true]);
  });

  test('can be divided, cancelled and cloned', async () => {
    const code = `const response = ${get('/text')};
      const copy = response.clone();
      const [a, b] = response.body.tee();
      const cancelled = (${get('/text')});
      await cancelled.body.cancel();
      [await new Response(a).text(), await new Response(b).text(), await copy.text(), cancelled.bodyUsed, response.bodyUsed]`;
    expect(await output(code)).toStrictEqual(['één', 'één', 'één', true, true]);
  });

  test('have no pipes, and say what to use', async () => {
    const code = `${FAILURE}
      const { body } = ${get('/text')};
      [await failure(() => body.pipeThrough({})), await failure(() => body.pipeTo({})),
        await failure(() => new body.constructor()), await failure(() => body.getReader({ mode: 'byob' }))]`;
    const use =
      'is not available: read the parts with `for await (const part of body)`, or all of them with `await response.text()`';
    expect(await output(code)).toStrictEqual([
      ['TypeError', `pipeThrough ${use}`],
      ['TypeError', `pipeTo ${use}`],
      ['TypeError', 'Illegal constructor: streams are bodies of responses and blobs'],
      ['TypeError', 'getReader: readers have no modes; call getReader()'],
    ]);
  });

  test('are forms if they are encoded as queries', async () => {
    const code = `${FAILURE}
      const form = await (${get('/query')}).formData();
      const multipart = ${get('/multipart')};
      const refused = [await failure(async () => (${get('/text')}).formData()), await failure(() => multipart.formData())];
      [[...form], refused, (await multipart.clone().text()).includes('form-data; name="a"')]`;
    const message = 'formData() reads only application/x-www-form-urlencoded; use text() or bytes()';
    const refusals = [
      ['TypeError', message],
      ['TypeError', message],
    ];
    expect(await output(code)).toStrictEqual([[['a', '1'], ['a', '2'], ['b', 'c d&']], refusals, true]); // prettier-ignore
  });
});
