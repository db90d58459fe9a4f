// `node examples/file-tools.mjs`: an agent repairs a small project with the file tools. The steps are written down
// here, as a model would send them one by one; the executor, the tools and the files, in a temporary folder, are real.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SESExecutor } from '../index.mjs';
import { createFileTools } from '../build/files/index.js';
import { ExecutorPrinter } from './printer.mjs';

const root = mkdtempSync(join(tmpdir(), 'ses-executor-example-'));
mkdirSync(join(root, 'src'));
writeFileSync(join(root, 'src/price.js'), 'export function gross(net) {\n  return net * 1.19;\n}\n');
writeFileSync(join(root, 'src/order.js'), "import { gross } from './price.js';\nexport const total = gross(100);\n");
writeFileSync(join(root, 'README.md'), '# Shop\n');

const steps = [
  {
    thought: 'I will look around, and search for the tax rate.',
    code: `
const [listing, rates] = await Promise.all([ls(), grep({ pattern: '1\\\\.\\\\d+', glob: '*.js' })]);
console.log(listing.content[0].text);
rates.content[0].text`,
  },
  {
    thought: 'The rate has to have a name. I will change that one line, and look at the diff.',
    code: `
await edit({ path: 'src/price.js', oldText: 'net * 1.19', newText: 'net * (1 + VAT)' });
const { details } = await edit('src/price.js', 'export function', 'const VAT = 0.19;\\n\\nexport function');
console.log((await read('src/price.js')).content[0].text);
details.diff`,
  },
  {
    thought: 'Is there anything for me outside of the project?',
    code: `
try {
  await read('../../etc/passwd');
} catch (error) {
  console.warn(error.message);
}`,
  },
  {
    thought: 'I will write down what I did.',
    code: `
await write('docs/changes.md', '- The rate of the value added tax has a name.\\n');
const files = (await find('*.*')).content[0].text.split('\\n');
final_answer({ changed: ['src/price.js'], files: files.length });`,
  },
];

const printer = new ExecutorPrinter();
const executor = new SESExecutor({ autoInit: true, onLog: (entry) => printer.log(entry) });
try {
  await executor.sendTools(createFileTools({ root }));
  for (const { thought, code } of steps) {
    printer.step(thought, code.trim());
    printer.output(await executor.run(code));
  }
} finally {
  await executor.cleanup();
  rmSync(root, { recursive: true, force: true });
}
