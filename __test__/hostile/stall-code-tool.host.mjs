// attack: large observations for the model: 200,000 keys, keys of arrays, a shared graph, large integers, errors and logs without end
// outcome: value 'short, in a moment'
// state: READY
// options: {"timeoutMs":60000,"maxOperations":1000000000000,"memoryLimitMb":512}
// peak: 1152 the values on both sides
// processPeak: 384 the values in the host, and on their way
import { createCodeTool } from '../../build/adapters/code-tool/index.js';
import { unlessStalled } from './stalls.mjs';

const CODES = [
  "const o = {}; for (let i = 0; i < 200_000; i++) o['key' + i] = i; return o",
  'let x = [1]; for (let i = 0; i < 40; i++) x = [x, { x }]; return x',
  'return Array(1000).fill(1n << 100_000n)',
  "throw new Error('x'.repeat(1e7))",
  "throw new AggregateError(Array.from({ length: 1e4 }, () => new Error('y'.repeat(1e4))), 'z'.repeat(1e6))",
  "for (let i = 0; i < 300_000; i++) console.log(); return 'x'.repeat(1e7)",
  "const e = new Error('a\n'.repeat(1e5), { cause: new Error('b\n'.repeat(1e5)) }); return [e, e]",
  "return Array.from({ length: 300 }, () => Array(300).fill('\u20ac'.repeat(10)))",
  'globalThis.rows = Array(500_000).fill(1); rows.fliter(1)',
  "const o = {}; for (let i = 0; i < 90_000; i++) o['k' + i] = i; return Array(2000).fill(o)",
  "const o = {}; for (let i = 0; i < 90_000; i++) o['k' + i] = i; let x = Array(100).fill(o); for (let i = 0; i < 25; i++) x = [x]; return [x, NaN]",
  'let x = [1]; for (let i = 0; i < 40; i++) x = [x, { x }]; const a = [NaN]; a.x = x; return a',
  "const a = [NaN]; for (let i = 0; i < 20_000; i++) a['k' + i] = i; return Array(1000).fill(a)",
  "return Array(400).fill('\\n'.repeat(10_000))",
];
/** UTF-16 units: output, logs and code frame. */
const MAX_TEXT = 60_000;

export const scenario = (/** @type {any} */ host) =>
  unlessStalled(host, async () => {
    const tool = createCodeTool({ tools: {}, executor: host.executor });
    const odd = [];
    for (const code of CODES) {
      const { text, output, error } = await tool.execute(code);
      const isShort = text.length <= MAX_TEXT && (JSON.stringify(output ?? error)?.length ?? 0) <= MAX_TEXT;
      if (!isShort) odd.push([code.slice(0, 40), text.length]);
    }
    return `value ${odd.length === 0 ? "'short, in a moment'" : JSON.stringify(odd)}`;
  });
