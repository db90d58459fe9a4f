// docs/test262.md: what became of the tests.

/**
 * @param {string} version Of the tests: their commit and its day.
 * @param {Map<string, { passed: number, excepted: number, failed: number }>} folders By their names.
 * @param {Map<string, number>} reasons How many tests each excepts.
 * @returns {string}
 */
export function pageOf(version, folders, reasons) {
  const counts = [...folders.values()];
  const sum = (kind) => counts.reduce((total, folder) => total + folder[kind], 0);
  return `# test262

What becomes of [test262](https://github.com/tc39/test262), the tests that TC39 keeps of the language, as guest code: each test runs with
its harness as a program, or as a module, in an executor of its own. \`npm run test262 -- --write\` writes this page; version of the
tests: ${version}.

| folder | passed | excepted | failed |
| --- | ---: | ---: | ---: |
${[...folders].map(([name, { passed, excepted, failed }]) => `| \`${name}\` | ${passed} | ${excepted} | ${failed} |`).join('\n')}
| | ${sum('passed')} | ${sum('excepted')} | ${sum('failed')} |

Tests that end otherwise than they say, by the reasons of \`__test__/test262/exceptions.mjs\`:

| reason | tests |
| --- | ---: |
${[...reasons].map(([reason, count]) => `| ${reason} | ${count} |`).join('\n')}

## How to run them

\`\`\`sh
git clone --depth 1 https://github.com/tc39/test262 ../test262
npm run test262 -- --checkout ../test262
npm run test262 -- --checkout ../test262 --only test/language/statements
npm run test262 -- --checkout ../test262 --every 20   # a sample: each twentieth test
\`\`\`

\`--verbose\` lists what is excepted as well. It takes the folder \`js/src/tests/test262\` of SpiderMonkey's source too, as in Debian's source
packages of it (\`apt-get source --download-only mozjs128\`), where each folder has its part of the harness.
`;
}
