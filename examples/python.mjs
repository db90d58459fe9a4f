// `npm run demo:python`: an agent's steps in Python, over the files of this repository. The steps are written down
// here, as a model would send them one by one; the executor, the tools and the files are real.

import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { PyodideExecutor } from 'ses-executor/python';

const docs = fileURLToPath(new URL('../docs/reference', import.meta.url));

const tools = {
  list_pages: () =>
    readdirSync(docs)
      .filter((name) => name.endsWith('.md'))
      .sort(),
  /** Asynchronous here, a plain function there. */
  read_page: (name) => readFile(join(docs, basename(name)), 'utf8'),
};
/** A tool whose source is Python, as those of smolagents-ts. */
const pythonTools = {
  headings: `
def headings(text):
    return [line.lstrip("# ") for line in text.splitlines() if line.startswith("## ")]
`,
};

const STEPS = [
  [
    'Which pages are there, and how long are they?',
    `pages = {name: read_page(name) for name in list_pages()}
for name, text in pages.items():
    print(f"{name}: {len(text.splitlines())} lines")
len(pages)`,
  ],
  [
    'What do they speak of most?',
    'from collections import Counter\nimport re\nwords = Counter(re.findall(r"[a-z]{6,}", " ".join(pages.values()).lower()))\nwords.most_common(3)',
  ],
  ['A look at one of them.', 'headings(pages["error.md"])'],
  ['It has another name.', 'headings(pages["errors.md"])[:3]'],
  ['A loop that never ends does no harm.', 'while True:\n    pass'],
  ['And neither does a sum.', 'sum(range(10**12))'],
  [
    'Done.',
    'final_answer({"pages": len(list_pages()), "longest": max(list_pages(), key=lambda name: len(read_page(name)))})',
  ],
];

const executor = new PyodideExecutor(undefined, { mount: false, timeoutMs: 2_000 });
for (const [index, [thought, code]] of STEPS.entries()) {
  console.log(`Step ${index + 1}: ${thought}\n${code.replace(/^/gm, '  │ ')}`);
  await executor.sendTools(tools, pythonTools);
  try {
    const { output, logs, is_final_answer } = await executor.run(code);
    process.stdout.write(logs);
    console.log(is_final_answer ? 'Final answer:' : 'Output:', output, '\n');
  } catch (error) {
    console.log(`${error.code}: ${error.details.cause}\n${error.details.codeFrame ?? ''}\n`);
  }
}
await executor.cleanup();
