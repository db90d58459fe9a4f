// Whatever a page does, it ends at its deadline, and nothing of it is left.

import { expect, test } from 'vitest';

import { blocking } from '../../index.mjs';
import { expectCode, neverTool, testIf } from '../helpers.mjs';
import { atDeadline, chromeProcesses, computedMs, make, until, withBrowser } from './helpers.mjs';

const worker = (code) => `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(code)}])))`;
const NEVER = 'await new Promise(() => {})';

const HANGS = {
  'an empty loop': 'for (;;);',
  'a promise that does not settle': NEVER,
  microtasks: 'const next = () => { Promise.resolve().then(next); }; next(); await new Promise(() => {})',
  timers: `setInterval(() => { for (let i = 0; i < 1e7; i++); }, 0); ${NEVER}`,
  'animation frames': `const draw = () => { requestAnimationFrame(draw); }; draw(); ${NEVER}`,
  'a worker': `${worker('for (;;);')}; ${NEVER}`,
  'many workers': `for (let i = 0; i < 8; i++) ${worker('for (;;);')}; ${NEVER}`,
  'dialogs in a loop': 'for (;;) alert(1)',
  'a regular expression': `/^(a+)+$/.test('a'.repeat(40) + 'b')`,
  'a large fill': 'for (;;) new Array(3e7).fill(1)',
  'a large number': 'let n = 3n; for (;;) n = (n * n) % (1n << 1000000n)',
  WebAssembly: `const bytes = new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11]);
    (await WebAssembly.instantiate(bytes)).instance.exports.f()`,
  'a sort that does not end': '[3, 2, 1].sort(() => { for (;;); })',
  'a generator': 'function* all() { for (;;) yield 1; } for (const one of all());',
  messages: `const { port1, port2 } = new MessageChannel(); port1.onmessage = () => port1.postMessage(1);
    port2.onmessage = () => port2.postMessage(1); port1.postMessage(1); ${NEVER}`,
  'observers of mutations': `const node = document.body; new MutationObserver(() => { node.title += 'x'; node.title = ''; })
    .observe(node, { attributes: true }); node.title = 'x'; ${NEVER}`,
  'a frame': `document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: '<script>for (;;);</script>' })); ${NEVER}`,
  'a synchronous request without an answer':
    'const r = new XMLHttpRequest(); r.open("GET", "/nothing", false); for (;;) try { r.send() } catch {}',
};

test('P13 each hanging program ends at its deadline', async () => {
  await withBrowser({}, {}, async (executor) => {
    const late = [];
    for (const [name, code] of Object.entries(HANGS)) {
      const error = await atDeadline(executor, `console.log('began'); ${code}`).catch((cause) => {
        throw new Error(name, { cause });
      });
      expect(error.logs, name).toBe('began');
      expect(executor.state, name).toBe('READY');
      late.push(error.lateMs);
    }
    late.sort((a, b) => a - b);
    // Code that was told to stop has 5 s. The outcome does not wait for it.
    expect(late[late.length >> 1]).toBeLessThan(4_000);
    // One page is made ahead, and one may be closing.
    await until(() => chromeProcesses().filter(({ type }) => type === 'renderer').length <= 2);
    // What goes on would take a processor, or what of it a busy machine leaves.
    await until(async () => {
      const left = chromeProcesses();
      const before = computedMs(left);
      await new Promise((resolve) => setTimeout(resolve, 500));
      return computedMs(left) - before <= 20;
    });
    expect((await executor.run('6 * 7')).output).toBe(42);
  });
});

test('a session is DIRTY after a timeout and can be initialized again', async () => {
  const executor = make({ isolation: 'session' });
  await executor.init();
  await executor.run('let kept = 1');
  await expectCode(executor.run('for (;;);', { timeoutMs: 300 }), 'ERR_EXEC_TIMEOUT');
  expect(executor.state).toBe('DIRTY');
  const refused = await expectCode(executor.run('kept'), 'ERR_INVALID_STATE');
  expect(refused.details).toMatchObject({ state: 'DIRTY', hint: 'call cleanup() and init() first' });
  await executor.cleanup();
  await executor.init();
  expect((await executor.run('typeof kept')).output).toBe('undefined');
  await executor.cleanup();
});

test('a tool that does not answer does not hold a synchronous caller beyond the deadline', async () => {
  const { tool } = neverTool();
  await withBrowser({}, { never: blocking(tool) }, async (executor) => {
    const error = await atDeadline(executor, 'never()', ({ stats }) => stats.toolCalls === 1);
    expect(error.lateMs).toBeLessThan(4_000);
  });
});

const WEBGL = `
  const gl = document.createElement('canvas').getContext('webgl2');
  const shader = (type, text) => {
    const made = gl.createShader(type);
    gl.shaderSource(made, '#version 300 es\\n' + text);
    gl.compileShader(made);
    return made;
  };
  const draw = (rounds) => {
    const program = gl.createProgram();
    gl.attachShader(program, shader(gl.VERTEX_SHADER, 'void main() { vec2 at = vec2(gl_VertexID & 1, gl_VertexID >> 1); gl_Position = vec4(at * 4.0 - 1.0, 0, 1); }'));
    gl.attachShader(program, shader(gl.FRAGMENT_SHADER, 'precision highp float; out vec4 color; uniform int rounds; void main() { float x = 1.0; for (int i = 0; i < rounds; i++) x = sin(x + float(i)); color = vec4(1, x, 0, 1); }'));
    gl.linkProgram(program);
    gl.useProgram(program);
    gl.uniform1i(gl.getUniformLocation(program, 'rounds'), rounds);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    const pixel = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return pixel[0];
  };`;

// All pages draw in one process, whose work does not end with the page that it is for.
testIf(process.platform === 'linux')(
  'an endless shader does not block the drawing of other pages forever',
  { timeout: 120_000 },
  async () => {
    await withBrowser({ timeoutMs: 10_000 }, {}, async (executor) => {
      expect((await executor.run(`${WEBGL} draw(1)`)).output).toBe(255);
      await atDeadline(executor, `${WEBGL} console.log('began'); draw(1e9)`);
      const drawn = () => executor.run(`${WEBGL} draw(1)`).catch(() => ({ output: 0 }));
      await until(async () => (await drawn()).output === 255, 90_000);
    });
  },
);
