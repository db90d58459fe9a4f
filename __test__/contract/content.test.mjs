// What is recognized as content, and its bounds.

import { describe, expect, test } from 'vitest';

import { Content, partsOfContent } from '../../build/contract/content.js';
import { useOf } from '../../build/contract/name-use.js';
import { KeptOutputs } from '../../build/contract/kept-outputs.js';
import { withLongestTurn } from '../cpu-time.mjs';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const png = new Uint8Array(Buffer.from(PNG, 'base64'));
const bytes = (text, more = 8) => new Uint8Array(Buffer.from(text + '\0'.repeat(more), 'latin1'));
const base64 = (data) => Buffer.from(data).toString('base64');
const IMAGE = { type: 'image', data: PNG, mimeType: 'image/png' };
/** Two frames of MPEG 1, Layer III, with 128 kbit/s and 44.1 kHz. */
const mp3 = Buffer.alloc(900);
for (const at of [0, 417]) mp3.set([0xff, 0xfb, 0x90, 0x00], at);

function shown(value) {
  const content = new Content();
  return content.show(value) ? content.blocks : undefined;
}

describe('bytes are content by their first bytes:', () => {
  test.each([
    ['PNG', png, 'image', 'image/png'],
    ['JPEG', bytes('\xff\xd8\xff\xe0'), 'image', 'image/jpeg'],
    ['GIF', bytes('GIF89a'), 'image', 'image/gif'],
    ['WebP', bytes('RIFF\x10\0\0\0WEBP'), 'image', 'image/webp'],
    ['WAV', bytes('RIFF\x10\0\0\0WAVE'), 'audio', 'audio/wav'],
    ['MP3 with a tag', bytes('ID3\x04'), 'audio', 'audio/mpeg'],
    ['MP3 without a tag', mp3, 'audio', 'audio/mpeg'],
    ['Ogg', bytes('OggS\0'), 'audio', 'audio/ogg'],
    ['FLAC', bytes('fLaC\0'), 'audio', 'audio/flac'],
  ])('%s', (_, data, type, mimeType) => {
    const block = { type, data: base64(data), mimeType };
    expect(shown(data)).toStrictEqual([block]);
    const { buffer, byteOffset, byteLength } = data;
    expect(shown(new DataView(buffer, byteOffset, byteLength))).toStrictEqual([block]);
    expect(shown(buffer.slice(byteOffset, byteOffset + byteLength))).toStrictEqual([block]);
  });

  test('PDF and other files are resources', () => {
    const pdf = bytes('%PDF-1.7');
    expect(shown(pdf)).toStrictEqual([
      { type: 'resource', resource: { uri: 'display:///1.pdf', mimeType: 'application/pdf', blob: base64(pdf) } },
    ]);
    const zip = bytes('PK\x03\x04');
    expect(shown(zip)[0].resource).toMatchObject({ uri: 'display:///1.zip', mimeType: 'application/zip' });
    expect(shown(bytes('\0\0\0\x20ftypisom'))[0].resource.mimeType).toBe('video/mp4');
    expect(shown(bytes('\x1aE\xdf\xa3'))[0].resource.mimeType).toBe('video/webm');
  });

  test.each([
    ['nothing', new Uint8Array(0)],
    ['numbers', new Uint8Array([1, 2, 3])],
    ['a beginning of PNG', png.slice(0, 4)],
    ['RIFF of another kind', bytes('RIFF\x10\0\0\0AVI ')],
    ['WEBP without RIFF', bytes('ABCD\x10\0\0\0WEBP')],
    ['one frame of MP3', mp3.subarray(0, 417)],
    ['pixels', new Uint8ClampedArray(png)],
  ])('not %s', (_, data) => {
    expect(shown(data)).toBe(undefined);
  });
});

describe('a value is content:', () => {
  const artifact = { name: 'figure-1.png', mimeType: 'image/png', width: 1, height: 1, bytes: png.length, data: png };
  test.each([
    ['a block of MCP', IMAGE],
    ['a data URL', `data:image/png;base64,${PNG}`],
    ['a block of Anthropic', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }],
    ['an image of OpenAI Agents', { type: 'image', image: `data:image/png;base64,${PNG}` }],
    ['a block of LangChain', { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }],
    ['a figure of Python', artifact],
    ['a result of MCP', { content: [IMAGE] }],
    ['base64 with line breaks', { ...IMAGE, data: PNG.replace(/(.{20})/g, '$1\n') }],
    ['an image with a wrong type', { ...IMAGE, mimeType: 'image/jpeg' }],
  ])('%s', (_, value) => {
    expect(shown(value)).toStrictEqual([IMAGE]);
  });

  test('texts and links of MCP next to an image', () => {
    const link = { type: 'resource_link', uri: 'https://example.com/a', name: 'a' };
    const text = { type: 'text', text: 'a chart' };
    const resource = { type: 'resource', resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'rows' } };
    expect(shown([text, IMAGE, resource, { ...link, other: 1 }])).toStrictEqual([text, IMAGE, resource, link]);
  });

  test('a document of an executor keeps its name and type', () => {
    const docx = { name: 'répört.docx', mimeType: 'application/vnd.acme.document', data: bytes('PK\x03\x04') };
    expect(shown(docx)[0].resource).toMatchObject({
      uri: 'display:///r%C3%A9p%C3%B6rt.docx',
      mimeType: 'application/vnd.acme.document',
    });
  });

  test.each([
    ['a string', 'text'],
    ['a list of numbers', [1, 2]],
    ['texts of MCP only', [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }]],
    ['a list with something else', [IMAGE, 5]],
    ['an object with data', { mimeType: 5, data: png }],
    ['a data URL of text', 'data:text/plain,hello'],
  ])('not %s', (_, value) => {
    expect(shown(value)).toBe(undefined);
  }); // prettier-ignore

  test('an invalid image becomes a file of an unknown type, because providers would reject it', () => {
    const fake = { type: 'image', data: base64('no image'), mimeType: 'image/png' };
    expect(shown(fake)).toStrictEqual([
      {
        type: 'resource',
        resource: { uri: 'display:///1.bin', mimeType: 'application/octet-stream', blob: base64('no image') },
      },
    ]);
  });
});

describe('an output', () => {
  test('has a description in the place of each part, at any depth of its lists and objects', () => {
    const content = new Content();
    const output = { chart: png, rows: [1, { photo: IMAGE }], more: null };
    expect(content.takeFrom(output)).toStrictEqual({
      chart: '[image/png, 70 bytes]',
      rows: [1, { photo: '[image/png, 70 bytes]' }],
      more: null,
    });
    expect(content.blocks).toStrictEqual([IMAGE, IMAGE]);
    expect(output.chart).toBe(png);
  });

  test('without content stays the same value', () => {
    for (const output of [undefined, 5, 'text', [1, [NaN]], { a: { b: new Map() } }, new Uint8Array(5)]) {
      expect(new Content().takeFrom(output)).toBe(output);
    }
  });

  test('is searched only in its first parts, so that a large one does not stall the host', async () => {
    const wide = Array.from({ length: 300_000 }, (_, n) => ({ n }));
    const output = { chart: png, wide };
    const { result, longest } = await withLongestTurn(async () => new Content().takeFrom(output));
    expect(result.wide).toBe(wide);
    expect(result.chart).toBe('[image/png, 70 bytes]');
    expect(longest).toBeLessThan(1);
    const circular = { chart: png };
    circular.self = circular;
    expect(new Content().takeFrom(circular).chart).toBe('[image/png, 70 bytes]');
  });

  test('says what is beyond the bounds', () => {
    const content = new Content();
    const large = new Uint8Array((8 << 20) + 1);
    large.set(png);
    expect(content.takeFrom(large)).toBe('[image/png, 8,388,609 bytes, not shown: a run shows at most 8388608 bytes]');
    expect(content.takeFrom(Array(21).fill(png)).at(-1)).toBe(
      '[image/png, 70 bytes, not shown: a run shows at most 20 parts]',
    );
    expect(content.blocks.length).toBe(20);
  });
});

describe('a run shows at most', () => {
  test('20 parts', () => {
    const content = new Content();
    for (let i = 0; i < 20; i++) content.show(png);
    expect(() => content.show(png)).toThrow(new RangeError('a run shows at most 20 parts'));
  });

  test('8 MiB, before anything is decoded', () => {
    const content = new Content();
    const large = { type: 'image', data: 'A'.repeat(12 << 20), mimeType: 'image/png' };
    expect(() => content.show(large)).toThrow(new RangeError('a run shows at most 8388608 bytes'));
    expect(content.blocks).toStrictEqual([]);
  });

  test('so little that the host does not stall while it is decoded', async () => {
    const large = new Uint8Array(8 << 20);
    large.set(png);
    const block = { ...IMAGE, data: base64(large) };
    const { result, longest } = await withLongestTurn(async () => shown(block));
    expect(result).toStrictEqual([block]);
    expect(longest).toBeLessThan(0.5);
  });

  test('as many characters of text as an output', () => {
    const content = new Content(1_000);
    content.showText('x'.repeat(950));
    content.showText('short');
    expect(() => content.showText('y'.repeat(200))).toThrow(
      new RangeError('a run shows at most 1000 characters of text'),
    );
    const cut = new Content(1_000);
    cut.show([IMAGE, { type: 'text', text: 'z'.repeat(5_000) }]);
    expect(cut.blocks[1].text).toMatch(/^z{500}\n\[\.\.\. 4000 of 5000 characters of this text \.\.\.\]\nz{500}$/);
  });

  test('nothing after its end', () => {
    const content = new Content();
    content.end();
    expect(content.show(png)).toBe(true);
    expect(content.blocks).toStrictEqual([]);
  });
});

test('what a framework cannot take is described', () => {
  const content = new Content();
  content.show([IMAGE, bytes('fLaC\0'), bytes('%PDF-1'), bytes('PK\x03\x04')]);
  const text = (it) => it;
  const image = ({ mimeType }) => mimeType;
  expect(partsOfContent(content.blocks, { text, image })).toStrictEqual([
    'image/png',
    '[audio/flac, 13 bytes, which cannot be shown here]',
    '[application/pdf, 14 bytes, which cannot be shown here]',
    '[application/zip, 12 bytes, which cannot be shown here]',
  ]);
  expect(partsOfContent(content.blocks, { text, image, audio: image, pdf: ({ name }) => name })).toStrictEqual([
    'image/png',
    'audio/flac',
    '3.pdf',
    '[application/zip, 12 bytes, which cannot be shown here]',
  ]);
});

describe('kept outputs', () => {
  test('are forgotten, the oldest first, when they take more than 16 MiB together', () => {
    const kept = new KeptOutputs();
    const text = 'x'.repeat(3 << 20);
    expect([1, 2, 3].map(() => kept.keep(text))).toStrictEqual(['o1', 'o2', 'o3']);
    expect(() => kept.get('o1')).toThrow(new RangeError('this output is not kept; the kept ones are o2, o3'));
    expect(kept.get('o3')).toBe(text);
    kept.clear();
    expect(() => kept.get('o3')).toThrow(new RangeError('this output is not kept'));
  });

  test.each([
    ['a long string', () => 'x'.repeat(5 << 20)],
    ['bytes', () => [new Uint8Array(9 << 20)]],
    ['a long list', () => Array(300_000).fill(0)],
    ['many lists', () => Array.from({ length: 3_000 }, () => Array(100).fill(0))],
    ['a large map', () => new Map([[1, Array(300_000)]])],
  ])('are not %s of more than 8 MiB', (_, make) => {
    expect(new KeptOutputs().keep(make())).toBe(undefined);
  });

  test('may contain themselves', () => {
    const value = { list: [1], map: new Map([['a', new Set(['b'])]]) };
    value.self = value;
    const kept = new KeptOutputs();
    expect(kept.get(kept.keep(value))).toBe(value);
  });
});

describe('the use of a name', () => {
  test.each([
    ['display(1)', 'used'],
    ['items.map(display)', 'used'],
    ['display?.(1)', 'used'],
    ['const display = 1; display', 'declared'],
    ['let { a, display } = it', 'declared'],
    ['const {\n  display,\n} = it;\ndisplay(1)', 'declared'],
    ['function display() {}', 'declared'],
    ['def display(x): pass\ndisplay(1)', 'declared'],
    ['from x import display', 'declared'],
    ['display = 5', 'declared'],
    ['it.display(1)', undefined],
    ['displayed(1)', undefined],
    ['({ display: 1 })', undefined],
    ['display === 1', undefined],
  ])('in %j', (code, expected) => {
    expect(useOf(code, 'display')).toBe(expected);
  });

  test('is found in a long program without stalling the host', async () => {
    const hostile = ['display ', 'let ', 'let display\n', '{display,', 'const {'];
    for (const part of hostile) {
      const code = part.repeat((1 << 20) / part.length);
      const { longest } = await withLongestTurn(async () => useOf(`${code} display(1)`, 'display'));
      expect(longest).toBeLessThan(0.5);
    }
  });
});
