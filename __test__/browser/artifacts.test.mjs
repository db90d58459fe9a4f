// Pictures and files that runs leave.

import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';

import { describe, expect, test } from 'vitest';

import { expectCode, spawnProgram, testIf, withFolder } from '../helpers.mjs';
import { createCodeTool } from '../../build/adapters/code-tool/index.js';
import { atDeadline, withBrowser } from './helpers.mjs';

/** Width, height and a function that gives the pixel at a place, of a PNG with eight bits per channel. */
function png(bytes) {
  expect([...bytes.subarray(0, 8)]).toStrictEqual([137, 80, 78, 71, 13, 10, 26, 10]);
  const view = Buffer.from(bytes);
  const parts = [];
  let facts;
  for (let at = 8; at < view.length;) {
    const length = view.readUInt32BE(at);
    const kind = view.toString('latin1', at + 4, at + 8);
    if (kind === 'IHDR') facts = [view.readUInt32BE(at + 8), view.readUInt32BE(at + 12), view[at + 17]];
    if (kind === 'IDAT') parts.push(view.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const [width, height, color] = facts;
  const size = color === 6 ? 4 : 3;
  const raw = inflateSync(Buffer.concat(parts));
  const row = width * size + 1;
  for (let y = 0; y < height; y++) {
    const filter = raw[y * row];
    for (let i = 1; i < row; i++) {
      const at = y * row + i;
      const left = i > size ? raw[at - size] : 0;
      const up = y > 0 ? raw[at - row] : 0;
      const corner = y > 0 && i > size ? raw[at - row - size] : 0;
      const guess = left + up - corner;
      const near = [left, up, corner].reduce((best, one) =>
        Math.abs(guess - one) < Math.abs(guess - best) ? one : best,
      );
      raw[at] += [0, left, up, (left + up) >> 1, near][filter];
    }
  }
  return { width, height, at: (x, y) => [...raw.subarray(y * row + 1 + x * size, y * row + 1 + x * size + 3)] };
}

describe('the canvas of a run', () => {
  test.each(['with a folder', 'without a folder'])(
    'reaches the model of a code tool as an image, %s',
    async (where) => {
      await withFolder(async (folder) => {
        const options = where === 'with a folder' ? { artifactsDir: folder } : {};
        await withBrowser(options, {}, async (executor) => {
          const { execute } = createCodeTool({ tools: {}, executor });
          const { output, content } = await execute('getCanvas(4, 3).getContext("2d").fillRect(0, 0, 2, 2);\n5');
          expect(output).toBe(5);
          expect(content).toStrictEqual([
            { type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBORw0KGgo/) },
          ]);
          const url = 'display(getCanvas(4, 3).toDataURL()); 5';
          expect((await execute(url)).content?.[0]).toMatchObject({ type: 'image', mimeType: 'image/png' });
        });
      });
    },
  );

  test('is unique, and its picture has bytes and metadata', async () => {
    await withBrowser({}, {}, async (executor) => {
      const { output, artifacts } = await executor.run(`
        const canvas = getCanvas(40, 30);
        const context = getCanvas(1, 1).getContext('2d');
        context.fillStyle = 'rgb(10, 200, 30)';
        context.fillRect(20, 0, 20, 30);
        return [getCanvas() === canvas, canvas instanceof HTMLCanvasElement];`);
      expect(output).toStrictEqual([true, true]);
      const [{ data, ...facts }] = artifacts;
      expect(facts).toStrictEqual({
        name: expect.stringMatching(/^canvas-[0-9a-f-]{36}\.png$/),
        mimeType: 'image/png',
        width: 40,
        height: 30,
        bytes: data.length,
        sha256: createHash('sha256').update(data).digest('hex'),
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      });
      const picture = png(data);
      expect([picture.width, picture.height, picture.at(5, 5), picture.at(30, 20)]).toStrictEqual([
        40,
        30,
        [0, 0, 0],
        [10, 200, 30],
      ]);
      expect((await executor.run('1')).artifacts).toStrictEqual([]);
    });
  });

  test('is stored in the folder with only a JSON file', async () => {
    await withFolder(async (folder) => {
      await withBrowser({ artifactsDir: `${folder}/made/here` }, {}, async (executor) => {
        const { artifacts } = await executor.run('getCanvas(3, 2).getContext("2d"); final_answer("drawn")');
        const [{ path, ...facts }] = artifacts;
        expect(path).toBe(`${folder}/made/here/${facts.name}`);
        expect(facts.sha256).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'));
        expect(JSON.parse(readFileSync(`${path}.json`, 'utf8'))).toStrictEqual({ path, ...facts });
        expect(readdirSync(`${folder}/made/here`).sort()).toStrictEqual([facts.name, `${facts.name}.json`]);
      });
    });
  });

  test('of WebGL is not blank after an await', async () => {
    await withBrowser({}, {}, async (executor) => {
      const { artifacts } = await executor.run(`
        const gl = getCanvas(8, 8).getContext('webgl');
        gl.clearColor(1, 0, 0, 1);
        gl.clear(gl.COLOR_BUFFER_BIT);
        await new Promise((done) => setTimeout(done, 100));`);
      expect(png(artifacts[0].data).at(4, 4)).toStrictEqual([255, 0, 0]);
    });
  });

  test('draws Chinese and emoji in colour and in distinct shapes', async () => {
    await withBrowser({}, {}, async (executor) => {
      const { output } = await executor.run(`
        const looks = (text) => {
          const canvas = new OffscreenCanvas(40, 40);
          const context = canvas.getContext('2d');
          context.font = '30px sans-serif';
          context.fillText(text, 2, 32);
          return [...context.getImageData(0, 0, 40, 40).data];
        };
        const all = ['图', '表', '😀', '🍎', '\\u{10ffff}'].map(looks);
        const colors = (data) => new Set(data.flatMap((_, i) => i % 4 === 0 && data[i + 3] > 200 ? [data.slice(i, i + 3).join()] : [])).size;
        return [new Set(all.map(String)).size, colors(all[2]) > 3]`);
      expect(output).toStrictEqual([5, true]);
    });
  });

  test.each([
    ['= 0', '0 x 10', '; leave it in the document, or give it a size'],
    ['= 1e6', '1000000 x 10', ''],
  ])('that the browser cannot encode has no picture: width %s', async (size, shown, advice) => {
    await withBrowser({}, {}, async (executor) => {
      const message = `the browser cannot make a picture of ${shown}`;
      const { artifacts, logs } = await executor.run(`getCanvas(10, 10).width ${size}`);
      expect([artifacts, logs]).toStrictEqual([[], `the canvas could not be kept: ${message}${advice}`]);
      const saved = await executor.run(`
        const canvas = document.createElement('canvas');
        canvas.height = 10;
        canvas.width ${size};
        await saveArtifact('x', canvas).catch(({ name, message }) => [name, message])`);
      expect([saved.artifacts, saved.output]).toStrictEqual([[], ['RangeError', message]]);
    });
  });

  test('has no picture beyond 64 megapixels, even if it grows later', async () => {
    await withBrowser({}, {}, async (executor) => {
      const { artifacts, logs } = await executor.run('const c = getCanvas(10, 10); c.width = 9000; c.height = 9000;');
      expect([artifacts, logs]).toStrictEqual([
        [],
        'the canvas could not be kept: 9000 x 9000 is more than 64 megapixels (67108864)',
      ]);
    });
  });

  test.each([
    ['getCanvas(9000, 9000)', 'getCanvas: 9000 x 9000 is more than 64 megapixels (67108864)'],
    ['getCanvas(0, 1)', 'getCanvas: width and height must be positive integers'],
    ['getCanvas(1.5, 1)', 'getCanvas: width and height must be positive integers'],
  ])('cannot be created by %s', async (code, message) => {
    await withBrowser({}, {}, async (executor) => {
      const { details } = await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
      expect(details).toMatchObject({ name: 'RangeError', message });
    });
  });
});

test('saveArtifact keeps blobs, strings and further canvases, even if it is not awaited', async () => {
  await withFolder(async (folder) => {
    await withBrowser({ artifactsDir: folder }, {}, async (executor) => {
      const { artifacts, output } = await executor.run(`
        saveArtifact('../../etc/passwd', 'text é');
        await saveArtifact('data', new Blob([new Uint8Array([0, 255])]));
        await saveArtifact('table.csv', new Blob(['a,b'], { type: 'text/csv' }));
        const canvas = document.createElement('canvas');
        canvas.width = 5;
        saveArtifact('second', canvas);`);
      expect(output).toBe('second');
      const found = artifacts.map(({ path, name, mimeType, width }) => [
        name.replace(/-[0-9a-f]{8}-[0-9a-f-]{27}/, '-ID'),
        mimeType,
        readFileSync(path).subarray(0, 6).toString('latin1'),
        width,
      ]);
      expect(found.sort()).toStrictEqual([
        ['-etc-passwd-ID.txt', 'text/plain', 'text \u00c3', undefined],
        ['data-ID.bin', 'application/octet-stream', '\0\u00ff', undefined],
        ['second-ID.png', 'image/png', '\u0089PNG\r\n', 5],
        ['table-ID.csv', 'text/csv', 'a,b', undefined],
      ]);
      expect(readdirSync(folder)).toHaveLength(8);
    });
  });
});

test.each([
  ["'report.csv', 'a,b'", 'report-ID.csv', 'text/csv'],
  ["'PAGE.HTML', '<p>'", 'PAGE-ID.HTML', 'text/html'],
  ["'d.pdf', new Uint8Array([37])", 'd-ID.pdf', 'application/pdf'],
  ["'photo.jpeg', new Blob([''])", 'photo-ID.jpeg', 'image/jpeg'],
  ["'photo.jpeg', new Blob([''], { type: 'image/jpeg' })", 'photo-ID.jpeg', 'image/jpeg'],
  ["'report.csv', new Blob([''], { type: 'application/json' })", 'report-csv-ID.json', 'application/json'],
  ["'run.sh', 'rm'", 'run-sh-ID.txt', 'text/plain'],
  ["'run.sh', new Uint8Array()", 'run-sh-ID.bin', 'application/octet-stream'],
  ["'.csv', ''", '-csv-ID.txt', 'text/plain'],
  ["'x', new Blob([''], { type: '__proto__' })", 'x-ID.bin', '__proto__'],
  ["'../a/b.c.json', '{}'", '-a-b-c-ID.json', 'application/json'],
])(
  'saveArtifact(%s) derives extension and type from the content, or else from the name',
  async (args, name, mimeType) => {
    await withBrowser({}, {}, async (executor) => {
      const { artifacts, output } = await executor.run(`await saveArtifact(${args})`);
      const [found] = artifacts;
      const shown = found.name.replace(/-[0-9a-f]{8}-[0-9a-f-]{27}/, '-ID');
      expect([shown, found.mimeType, found.givenName]).toStrictEqual([name, mimeType, output]);
    });
  },
);

describe('a failed run', () => {
  const save = "await saveArtifact('report.txt', 'hello'); console.log('saved'); getCanvas(5, 5);";

  test.each([
    ['by a thrown error', 'throw 5', (executor, code) => expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION')],
    ['at its deadline', 'for (;;);', (executor, code) => atDeadline(executor, code, ({ logs }) => logs === 'saved')],
  ])('keeps its artifacts if it fails %s', async (_, then, fails) => {
    await withFolder(async (folder) => {
      await withBrowser({ artifactsDir: folder }, {}, async (executor) => {
        const error = await fails(executor, save + then);
        const [{ path, name, givenName }] = error.artifacts;
        expect([error.artifacts.length, givenName, readFileSync(path, 'utf8')]).toStrictEqual([
          1,
          'report.txt',
          'hello',
        ]);
        expect(readdirSync(folder)).toStrictEqual(expect.arrayContaining([name, `${name}.json`]));
        expect(Object.keys(error)).not.toContain('artifacts');
      });
    });
  });

  test('reports its own error if the artifacts cannot be stored', async () => {
    await withFolder(async (folder) => {
      writeFileSync(`${folder}/file`, '');
      await withBrowser({ artifactsDir: `${folder}/file` }, {}, async (executor) => {
        const error = await expectCode(executor.run(`${save} throw new Error("x")`), 'ERR_RUNTIME_EXCEPTION');
        expect(error.artifacts.map(({ path, data }) => [path, `${Buffer.from(data)}`])).toStrictEqual([
          [undefined, 'hello'],
        ]);
        expect(error.logs).toMatch(/^saved\nthe artifacts could not be kept: EEXIST: /);
      });
    });
  });

  test('has no artifacts if it saved none', async () => {
    await withBrowser({}, {}, async (executor) => {
      expect((await expectCode(executor.run('let ;'), 'ERR_VALIDATION_FAILED')).artifacts).toStrictEqual([]);
    });
  });
});

// A full disk, or a folder that is none, is no reason to lose what the run has given.
test('a run whose artifacts cannot be stored has its output and their bytes', async () => {
  await withFolder(async (folder) => {
    const kept = `${folder}/kept`;
    await withBrowser({ artifactsDir: kept }, {}, async (executor) => {
      writeFileSync(kept, '');
      const code = `await saveArtifact('a.txt', 'hello'); 42`;
      const { output, artifacts, logs } = await executor.run(code);
      expect([output, artifacts.length, artifacts[0].path, `${Buffer.from(artifacts[0].data)}`]).toStrictEqual([
        42,
        1,
        undefined,
        'hello',
      ]);
      expect(logs).toMatch(/^the artifacts could not be kept: EEXIST: /);
      rmSync(kept);
      const { artifacts: written } = await executor.run(code);
      expect([readFileSync(written[0].path, 'utf8'), written[0].data]).toStrictEqual(['hello', undefined]);
    });
  });
});

test('artifacts saved after the end of a run do not belong to the next run', async () => {
  await withBrowser({ isolation: 'session' }, {}, async (executor) => {
    const code = `const drawn = new OffscreenCanvas(2_000, 2_000);
      drawn.getContext('2d').fillRect(0, 0, 2_000, 2_000);
      const saved = [saveArtifact('a', new Uint8Array(4e6)), saveArtifact('b', drawn)].map((one) => one.catch(({ message }) => message));
      final_answer(1)`;
    expect((await executor.run(code)).artifacts).toStrictEqual([]);
    const { output, artifacts, logs } = await executor.run('await saveArtifact("c", "c"); await Promise.all(saved)');
    expect(output).toStrictEqual(['the run is over', 'the run is over']);
    expect([artifacts.map(({ givenName }) => givenName), logs]).toStrictEqual([['c'], '']);
  });
});

test('saveArtifact keeps bytes and canvases that are not in the document', async () => {
  await withBrowser({}, {}, async (executor) => {
    const { artifacts } = await executor.run(`
      const bytes = new Uint8Array([9, 1, 255, 9]);
      await saveArtifact('view', bytes.subarray(1, 3));
      await saveArtifact('buffer', bytes.buffer);
      await saveArtifact('data', new DataView(bytes.buffer, 2));
      const canvas = new OffscreenCanvas(4, 3);
      canvas.getContext('2d').fillStyle = 'rgb(10, 200, 30)';
      canvas.getContext('2d').fillRect(0, 0, 4, 3);
      saveArtifact('picture', canvas);`);
    const [picture] = artifacts.splice(3);
    expect(artifacts.map(({ name, mimeType, data }) => [name.split('-')[0], mimeType, [...data]])).toStrictEqual([
      ['view', 'application/octet-stream', [1, 255]],
      ['buffer', 'application/octet-stream', [9, 1, 255, 9]],
      ['data', 'application/octet-stream', [255, 9]],
    ]);
    const { width, height, at } = png(picture.data);
    expect([picture.mimeType, picture.width, picture.height, width, height, at(2, 2)]).toStrictEqual([
      'image/png',
      4,
      3,
      4,
      3,
      [10, 200, 30],
    ]);
  });
});

test('saveArtifact says which content it accepts', async () => {
  await withBrowser({}, {}, async (executor) => {
    const { output, artifacts } = await executor.run(`
      const contents = [undefined, null, 5, {}, [1], Symbol(), new String('x'), new ImageData(1, 1), document.createElement('img')];
      return await Promise.all(contents.map((one) => saveArtifact('x', one).catch(({ name, message }) => name + ': ' + message)))`);
    expect(new Set(output)).toStrictEqual(
      new Set(['TypeError: saveArtifact: the content must be a string, bytes, a Blob or a canvas']),
    );
    expect(artifacts).toStrictEqual([]);
  });
});

test('a run keeps 1,000 artifacts at most', async () => {
  await withBrowser({}, {}, async (executor) => {
    const { artifacts, output } = await executor.run(`
      for (let i = 0; i < 1000; i += 100) await Promise.all(Array.from({ length: 100 }, () => saveArtifact('x', '')));
      return await saveArtifact('x', '').catch(({ name, message }) => [name, message])`);
    expect([artifacts.length, output]).toStrictEqual([1_000, ['RangeError', 'a run keeps 1000 artifacts at most']]);
  });
});

test('artifacts beyond maxArtifactBytes are refused', async () => {
  await withBrowser({ maxArtifactBytes: 2_000 }, {}, async (executor) => {
    const { details } = await expectCode(
      executor.run('await saveArtifact("a", "x".repeat(3000))'),
      'ERR_RUNTIME_EXCEPTION',
    );
    expect(details).toMatchObject({
      name: 'RangeError',
      message: 'the artifacts of the run would take more than maxArtifactBytes (2000)',
    });
    const { artifacts, logs } = await executor.run(
      'const c = getCanvas(400, 400).getContext("2d"); for (let i = 0; i < 2000; i++) { c.fillStyle = `hsl(${i * 37} 50% 50%)`; c.fillRect((i * 31) % 400, (i * 17) % 400, 9, 9); }',
    );
    expect(artifacts).toStrictEqual([]);
    expect(logs).toMatch(/^the canvas could not be kept: the artifacts of the run would take more/);
  });
});

test('content that is too large is refused before it is read', async () => {
  await withBrowser({ maxArtifactBytes: 2_000 }, {}, async (executor) => {
    const { output } = await executor.run(`
      const { port1, port2 } = new MessageChannel();
      const order = [];
      const posted = new Promise((done) => { port1.onmessage = () => done(order.push('another turn')); });
      port2.postMessage(1);
      await saveArtifact('a', new Blob(['x'.repeat(3000)])).catch(({ name }) => order.push(name));
      await posted;
      return order`);
    expect(output).toStrictEqual(['RangeError', 'another turn']);
  });
});

test('names of artifact files are short', async () => {
  await withFolder(async (folder) => {
    await withBrowser({ artifactsDir: folder }, {}, async (executor) => {
      const { artifacts } = await executor.run('await saveArtifact("\u6f22".repeat(300), "x")');
      expect(artifacts.map(({ name }) => name)).toStrictEqual([
        expect.stringMatching(/^\u6f22{50}-[0-9a-f-]{36}\.txt$/),
      ]);
    });
  });
});

testIf(process.platform !== 'win32')('an artifact that cannot be written leaves nothing in the folder', async () => {
  await withFolder(async (folder) => {
    const script = `
      const { readdirSync } = require('node:fs');
      const { keepArtifacts } = require('./build/browser/artifacts.js');
      const made = [{ name: 'x', mimeType: 'text/plain', data: Buffer.alloc(1 << 20) }];
      const warnings = [];
      keepArtifacts(made, process.env.FOLDER, (text) => warnings.push(text.replace(/x-[^.]*/, 'x-ID'))).then(([{ path, data }]) =>
        console.log(JSON.stringify([path, data.length, warnings, readdirSync(process.env.FOLDER)])))`;
    const { stdout, stderr } = await spawnProgram(
      'sh',
      // In blocks of 512 or 1024 bytes.
      ['-c', 'ulimit -f 8; exec "$0" -e "$1"', process.execPath, script],
      { env: { FOLDER: folder } },
    );
    const warning = 'the artifact x-ID.txt could not be kept: EFBIG: file too large, write';
    expect([JSON.parse(stdout), stderr]).toStrictEqual([[null, 1 << 20, [warning], []], '']);
  });
});
