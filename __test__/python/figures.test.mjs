// Figures of matplotlib become pictures. The package here stands for it: it has the functions that are used, and makes
// real PNGs.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createCodeTool } from '../../build/adapters/code-tool/index.js';
import { PyodideExecutor, addPackages } from '../../build/python/index.js';
import { FIRST_START_MS, failureOf } from './suite.mjs';
import { buildWheels } from './wheels.mjs';

const PYPLOT = `
import os, struct, zlib

class Figure:
    def __init__(self, width, height):
        self.size = (width, height)
    def savefig(self, file, format, bbox_inches):
        assert (format, bbox_inches, os.environ["MPLBACKEND"]) == ("png", "tight", "agg")
        if self.size[0] < 0:
            raise ValueError("a negative size")
        width, height = self.size
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        rows = b"".join(b"\\0" + b"\\xff" * 3 * width for _ in range(height))
        file.write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))

_figures = {}
def figure(number=None, size=(4, 3)):
    number = number or len(_figures) + 1
    return _figures.setdefault(number, Figure(*size))
def get_fignums(): return sorted(_figures)
def close(which): _figures.clear()
def show(*args): raise RuntimeError("there is no window")
`;

const root = mkdtempSync(join(tmpdir(), 'figures-'));
const packages = join(root, 'packages');
/** @type {PyodideExecutor} */
let executor;
/** @type {string[]} */
const called = [];
beforeAll(async () => {
  const files = { 'matplotlib/__init__.py': '', 'matplotlib/pyplot.py': PYPLOT };
  await addPackages(packages, await buildWheels(root, [{ name: 'matplotlib', version: '1.0', files }]));
  const onToolCall = ({ name }) => void called.push(name);
  executor = new PyodideExecutor(['matplotlib'], { packages, mount: false, onToolCall });
}, FIRST_START_MS);
afterAll(async () => {
  await executor.cleanup();
  rmSync(root, { recursive: true });
});

const HEAD = [0x89, 0x50, 0x4e, 0x47];
const sizes = (artifacts) => artifacts?.map(({ name, mimeType, width, height }) => [name, mimeType, width, height]);

describe('figures', () => {
  test.each([
    ['that are open at the end of a run', 'import matplotlib.pyplot as plt\nplt.figure()\nplt.figure(size=(8, 6))\n5'],
    [
      'that were shown',
      'from matplotlib import pyplot as plt\nplt.figure()\nplt.show()\nplt.figure(size=(8, 6))\nplt.show()\n5',
    ],
    [
      'of a run that has a final answer',
      'import matplotlib.pyplot\np = matplotlib.pyplot\np.figure()\np.figure(size=(8, 6))\nfinal_answer(5)',
    ],
  ])('%s are PNG artifacts', async (_title, code) => {
    const { output, artifacts, stats } = await executor.run(code);
    expect([output, stats?.toolCalls, sizes(artifacts)]).toStrictEqual([
      5,
      0,
      [
        ['figure-1.png', 'image/png', 4, 3],
        ['figure-2.png', 'image/png', 8, 6],
      ],
    ]);
    for (const { data, bytes } of artifacts ?? [])
      expect([[...data.slice(0, 4)], bytes]).toStrictEqual([HEAD, data.length]);
    expect(called).toStrictEqual([]);
  });

  test('of a failed run are attached to its error', async () => {
    const error = await failureOf(executor, 'import matplotlib.pyplot as plt\nplt.figure()\n1 / 0');
    expect([error.details.name, sizes(error.artifacts)]).toStrictEqual([
      'ZeroDivisionError',
      [['figure-1.png', 'image/png', 4, 3]],
    ]);
    expect((await executor.run('1')).artifacts).toBe(undefined);
  });

  test('that cannot be drawn cause a line in the log', async () => {
    const { artifacts, logs } = await executor.run('import matplotlib.pyplot as plt\nplt.figure(size=(-1, 1))\n1');
    expect([artifacts, logs]).toStrictEqual([
      undefined,
      'stderr: a figure could not be drawn: ValueError: a negative size\n',
    ]);
    await executor.run('plt.close("all")');
  });

  test('of another type are refused by the host', async () => {
    const code = `import matplotlib.pyplot as plt
class Other:
    def savefig(self, file, **_): file.write(b"other")
plt._figures[1] = Other()
1`;
    const { artifacts, logs } = await executor.run(code);
    expect([artifacts, logs.includes('a figure is a PNG picture')]).toStrictEqual([undefined, true]);
  });

  test('reach the model of a code tool as images, also of code that failed', async () => {
    const { execute } = createCodeTool({ tools: {}, executor });
    const code = 'import matplotlib.pyplot as plt\nplt.close("all")\nplt.figure()\n5';
    const { output, content } = await execute(code);
    expect([output, content?.map((it) => it.type === 'image' && it.mimeType)]).toStrictEqual([5, ['image/png']]);
    const failed = await execute(`${code}\nplt.show()\n1 / 0`);
    expect(['error' in failed, failed.content?.length]).toStrictEqual([true, 1]);
  });
});
