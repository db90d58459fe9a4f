// The text of reports/test262.md.

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

[test262](https://github.com/tc39/test262) is TC39's test suite for the JavaScript language. This page shows how its tests fare as guest
code. Each test runs with its harness in a separate executor, as a program or as a module. Version of the tests: ${version}.
\`npm run test262 -- --write\` writes this page.

| folder | passed | excepted | failed |
| --- | ---: | ---: | ---: |
${[...folders].map(([name, { passed, excepted, failed }]) => `| \`${name}\` | ${passed} | ${excepted} | ${failed} |`).join('\n')}
| | ${sum('passed')} | ${sum('excepted')} | ${sum('failed')} |

The next table counts the excepted tests, which do not end as they should, by reason. \`__test__/test262/exceptions.mjs\` has the list.

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

\`--verbose\` also lists the excepted tests. \`--checkout\` also accepts the folder \`js/src/tests/test262\` of SpiderMonkey's source, in which
each folder has its part of the harness. Debian's source package has it: \`apt-get source --download-only mozjs128\`.
`;
}
