// Scripts of the host that pages run before code, and canvases on which libraries draw.

import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { writeFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { BrowserExecutor } from '../../build/browser/index.js';
import { testIf, withFolder } from '../helpers.mjs';
import { withBrowser } from './helpers.mjs';

/** Measures the element that holds the canvas, as Chart.js does, and draws over some frames. */
const BARS = `globalThis.Bars = class {
  constructor(canvas, { ms = 400, isEndless = false } = {}) {
    const { clientWidth, clientHeight } = canvas.parentElement;
    canvas.width = clientWidth;
    canvas.height = clientHeight;
    const context = canvas.getContext('2d');
    let start;
    const draw = (time) => {
      start ??= time;
      const share = Math.min(1, (time - start) / ms);
      context.clearRect(0, 0, clientWidth, clientHeight);
      context.fillRect(0, 0, clientWidth * share, clientHeight);
      if (share < 1 || isEndless) requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
  }
};
`;
/** Draws something else in each frame. */
const NOISE = `globalThis.noise = (context) => {
  let at = 0;
  const draw = () => (context.fillRect((at * 7) % 90, (at++ * 13) % 90, 3, 3), requestAnimationFrame(draw));
  draw();
};
`;
/** Whether the right end of the run's canvas is drawn on in its picture. */
const IS_WHOLE = `globalThis.isWhole = async (bytes) => {
  const picture = await createImageBitmap(new Blob([bytes]));
  const copy = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
  copy.drawImage(picture, 0, 0);
  return [picture.width, picture.height, copy.getImageData(picture.width - 1, 10, 1, 1).data[3]];
};
`;

describe('a library that measures and animates', () => {
  test.each([
    ['at the end of the program', 'new Bars(getCanvas(700, 400)); 1', [700, 400, 255]],
    ['with final_answer', 'new Bars(getCanvas(700, 400)); final_answer(1)', [700, 400, 255]],
    ['with a promise as final answer', 'new Bars(getCanvas(320, 200)); final_answer(Promise.resolve(1))', [320, 200, 255]],
    ['after an await', 'const canvas = getCanvas(200, 100); await null; new Bars(canvas); 1', [200, 100, 255]],
    ['with frames that never end', 'new Bars(getCanvas(300, 100), { isEndless: true }); 1', [300, 100, 255]],
    ['without an animation', 'new Bars(getCanvas(300, 100), { ms: 0.001 }); 1', [300, 100, 255]],
  ])('leaves its last picture %s', async (_, code, expected) => {
    await withBrowser({ libraries: [BARS, IS_WHOLE], timeoutMs: 20_000 }, {}, async (executor) => {
      const { output, artifacts, logs } = await executor.run(code);
      expect([output, logs, artifacts.length]).toStrictEqual([1, '', 1]);
      const { output: whole } = await executor.run('await isWhole(input)', { input: artifacts[0].data });
      expect(whole).toStrictEqual(expected);
    });
  }); // prettier-ignore

  test('causes a warning that it was still changing, within the deadline', async () => {
    await withBrowser({ libraries: [NOISE] }, {}, async (executor) => {
      const code = 'noise(getCanvas(100, 100).getContext("2d")); 1';
      const { output, artifacts, logs } = await executor.run(code, { timeoutMs: 3_000 });
      expect([output, artifacts.length]).toStrictEqual([1, 1]);
      expect(logs).toBe(
        'the canvas was still changing at the end of the run, and its picture is of that moment; turn animations off ' +
          '(such as `animation: false`), or await their end',
      );
    });
  });

  test.each([
    ['a canvas that is drawn after the run', 'const c = getCanvas(10, 10).getContext("2d"); setTimeout(() => c.fillRect(0, 0, 9, 9), 1e4); 1'],
    ['a canvas that was cleared', 'const c = getCanvas(10, 10).getContext("2d"); c.fillRect(0, 0, 9, 9); c.clearRect(0, 0, 9, 9); 1'],
    ['a canvas of WebGL on which nothing was drawn', 'getCanvas(10, 10).getContext("webgl"); 1'],
  ])('%s causes a warning that it is empty', async (_, code) => {
    await withBrowser({}, {}, async (executor) => {
      const { artifacts, logs } = await executor.run(code);
      expect(artifacts).toHaveLength(1);
      expect(logs).toBe('nothing was drawn on the canvas before the run ended; await what draws on it, such as a timer or a load');
      // A single pixel, which a small copy of the canvas lacks.
      const dot = await executor.run('getCanvas(2000, 2000).getContext("2d").fillRect(7, 7, 1, 1); 1');
      expect(dot.logs).toBe('');
    });
  }); // prettier-ignore

  test('delays no run by frames that were cancelled or that draw elsewhere', async () => {
    await withBrowser({}, {}, async (executor) => {
      const cancelled = 'getCanvas(10, 10); cancelAnimationFrame(requestAnimationFrame(() => {})); 1';
      const elsewhere = 'const spin = () => requestAnimationFrame(spin); spin(); 2';
      for (const [code, expected] of [[cancelled, 1], [elsewhere, 2]]) {
        const durations = [];
        for (let i = 0; i < 5; i++) {
          const { output, stats } = await executor.run(code);
          expect(output).toBe(expected);
          durations.push(stats.durationMs);
        }
        // The end of a run that waits for its picture comes after 300 ms without a change.
        expect(Math.min(...durations)).toBeLessThan(300);
      }
    });
  }); // prettier-ignore
});

describe('libraries', () => {
  test.each([
    ['a path', 'node_modules/lodash/lodash.js', '_.chunk([1, 2, 3], 2).length', 2],
    ['a file URL', pathToFileURL(resolve('node_modules/underscore/underscore-umd.js')), '_.last([1, 2])', 2],
    ['the text of a file URL', pathToFileURL(resolve('node_modules/lodash/lodash.js')).href, '_.head([7])', 7],
    ['a bundle', 'node_modules/lightweight-charts/dist/lightweight-charts.standalone.production.js', 'typeof LightweightCharts.createChart', 'function'],
    ['source text', 'globalThis.five = () => 5;', 'five()', 5],
    ['source text with top-level declarations', 'const six = 6;\nfunction seven() { return 7; }', 'six + seven()', 13],
    ['source text with many brackets with an ambiguous slash', `globalThis.deep = [${'[(/[)}]/)],'.repeat(40_000)}].length;`, 'deep', 40_000],
    ['source text that is larger than maxCodeBytes', `globalThis.long = ${JSON.stringify('x'.repeat(2_000_000))}.length;`, 'long', 2_000_000],
    ['source text that is deeply nested', `globalThis.nested = ${'['.repeat(2_000)}${']'.repeat(2_000)};`, 'nested.length', 1],
  ])('are globals of code: %s', async (_, library, code, expected) => {
    await withBrowser({ libraries: [library] }, {}, async (executor) => {
      expect((await executor.run(code)).output).toBe(expected);
      expect((await executor.run(code)).output).toBe(expected);
    });
  }); // prettier-ignore

  test('run once in the page of a session, and again after it is lost', async () => {
    const library = 'globalThis.loads = (globalThis.loads ?? 0) + 1;';
    await withBrowser({ libraries: [library], isolation: 'session', autoInit: true, recover: true }, {}, async (executor) => {
      expect((await executor.run('loads')).output).toBe(1);
      expect((await executor.run('loads += 1; loads')).output).toBe(2);
      await executor.run('for (;;);', { timeoutMs: 500 }).catch(() => {});
      expect((await executor.run('loads')).output).toBe(1);
    });
  }); // prettier-ignore

  test.each([
    ['a string', 'x.js', 'options.libraries must be an array, got "x.js"'],
    ['a number', [5], 'options.libraries[0] must be a path, a file URL or the text of a script, got 5'],
    ['nothing', [''], 'options.libraries[0] must be a path, a file URL or the text of a script, got ""'],
  ])('are refused when the executor is created: %s', (_, libraries, message) => {
    expect(() => new BrowserExecutor({ libraries })).toThrow(new TypeError(message));
  });

  test('that cannot be read are refused when the executor is created', () => {
    expect(() => new BrowserExecutor({ libraries: ['missing/chart.umd.js'] })).toThrow(
      /^options\.libraries\[0\] cannot be read: ENOENT/,
    );
  });

  test.each([
    ['a module', "import { a } from 'b';\nexport default a;", /^options\.libraries\[0\] \(library-1\.js\) cannot be loaded: SyntaxError: .*; a library is a script, such as a build named umd, iife or min$/],
    ['a syntax error', 'let = = 5;', /^options\.libraries\[0\] \(library-1\.js\) cannot be loaded: SyntaxError: /],
    ['a thrown error', 'throw new RangeError("no canvas");', 'options.libraries[0] (library-1.js) cannot be loaded: RangeError: no canvas'],
  ])('that fail make the run fail without a fallback: %s', async (_, library, message) => {
    await withBrowser({ libraries: [library], fallback: true }, {}, async (executor) => {
      const error = await executor.run('1').catch((thrown) => thrown);
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(message);
    });
    const session = new BrowserExecutor({ libraries: [library], isolation: 'session' });
    await expect(session.init()).rejects.toThrow(message);
    expect(session.state).toBe('DEAD');
    await session.cleanup();
  }); // prettier-ignore

  testIf(process.platform !== 'win32')('are named in stacks', () =>
    withFolder(async (folder) => {
      const file = resolve(folder, 'chart tools.js');
      writeFileSync(file, 'globalThis.fail = () => { throw new Error("from the library"); };');
      await withBrowser({ libraries: [file] }, {}, async (executor) => {
        const { output } = await executor.run('try { fail() } catch ({ stack }) { stack }');
        expect(output).toContain('chart_tools.js:1:');
      });
    }),
  );
});
