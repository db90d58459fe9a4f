// `npm run demo`, and `node node_modules/ses-executor/examples/demo.mjs` where the package is installed: an agent's
// steps over the files of this package. The steps are written down here, as a model would send them one by one; the
// executor, the tools and the files are real.

import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { SESExecutor } from '../index.mjs';
import { ExecutorPrinter } from './printer.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Guest code names files relative to the package and reaches no others. */
function inPackage(path) {
  const full = resolve(root, path);
  if (full !== resolve(root) && !full.startsWith(resolve(root) + sep)) throw new Error(`${path} is outside`);
  return full;
}

const tools = {
  files: {
    /** Synchronous: guest code gets the value itself. */
    find: (folder, ending) =>
      readdirSync(inPackage(folder), { recursive: true })
        .map((name) => resolve(root, folder, name))
        .filter((path) => path.endsWith(ending) && statSync(path).isFile())
        .map((path) => relative(root, path).replaceAll(sep, '/'))
        .sort(),
    /** Asynchronous: guest code gets a promise, and can wait for many at once. */
    read: async (path) => {
      try {
        return await readFile(inPackage(path), 'utf8');
      } catch (cause) {
        throw Object.assign(new Error(`no such file: ${path}`, { cause }), { code: cause.code });
      }
    },
  },
  count: (text, part) => text.split(part).length - 1,
};

const steps = [
  {
    thought: 'I will see which files the facade is made of.',
    code: `
const paths = files.find('lib', '.ts');
console.log(paths.join('\\n'));
paths.length`,
  },
  {
    thought: 'I will read them all at once and measure them. `paths` is still there.',
    code: `
const texts = await Promise.all(paths.map((path) => files.read(path)));
const sizes = new Map(paths.map((path, i) => [path, count(texts[i], '\\n')]));
const [longest] = [...sizes].sort(([, a], [, b]) => b - a);
longest`,
  },
  {
    thought: 'I also want the entry point. It is probably src/main.js.',
    code: `
const entry = await files.read('src/main.js');
console.log(entry.length);`,
  },
  {
    thought: 'That file does not exist. I will try the likely names and take the first that does.',
    code: `
let entryPoint;
for (const name of ['src/main.js', 'main.js', 'index.js']) {
  try {
    const text = await files.read(name);
    entryPoint = { name, lines: count(text, '\\n') };
    break;
  } catch (error) {
    console.warn(\`\${error.code}: \${error.message}\`);
  }
}
entryPoint`,
  },
  {
    thought: 'Now I count how often the word "guest" occurs, in a loop.',
    code: `
const everything = texts.join('');
let found = 0;
let at = 0;
while (at !== -1) {
  at = everything.indexOf('guest', at);
  found += 1;
}
found`,
  },
  {
    thought: 'The loop never moved past the first match, so it was stopped. I will go on after each match.',
    code: `
const everything = texts.join('');
let matches = 0;
for (let from = everything.indexOf('guest'); from !== -1; from = everything.indexOf('guest', from + 1)) {
  matches += 1;
}
console.log(matches === count(everything, 'guest') ? 'the tool agrees' : 'the tool does not agree');
matches`,
  },
  {
    thought: 'I have all that I need.',
    code: `
final_answer({
  files: paths.length,
  lines: [...sizes.values()].reduce((sum, lines) => sum + lines, 0),
  longest: { path: longest[0], lines: longest[1] },
  entryPoint,
  guestIsMentioned: matches,
  sizes,
});`,
  },
];

await main();

async function main() {
  const printer = new ExecutorPrinter();
  const executor = new SESExecutor({ maxOperations: 10_000, timeoutMs: 5_000, onLog: (entry) => printer.log(entry) });
  await executor.init();
  await executor.sendTools(tools);
  try {
    for (const { thought, code } of steps) {
      printer.step(thought, code.trim());
      if (await takeStep(executor, code.trim(), printer)) return;
    }
    throw new Error('the steps ended without a final answer');
  } finally {
    await executor.cleanup();
    printer.end(executor.state);
  }
}

/** Runs one step; true if it gave the final answer. A failure is what the next step begins with. */
async function takeStep(executor, code, printer) {
  try {
    const result = await executor.run(code);
    printer.output(result);
    return result.is_final_answer;
  } catch (error) {
    if (error.code === undefined) throw error;
    printer.error(error);
    return false;
  }
}
