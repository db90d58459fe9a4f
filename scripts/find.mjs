// How well `spec.find` finds methods: `node scripts/find.mjs DOCUMENTS QUERIES`. Both are folders. QUERIES has a file
// for each set, named after its document: `github.txt` or `github-2.txt` for `github.json`. Each of its lines is a
// query and the methods that answer it: `close an issue = issues.update`. Vendors' documents are not part of this
// project.
import { readFileSync, readdirSync } from 'node:fs';
import { join, parse } from 'node:path';

import { SandboxManager, registryFromOpenApi } from 'ses-executor/sandbox';

const [documents, queries] = process.argv.slice(2);
if (queries === undefined) throw new Error('usage: node scripts/find.mjs DOCUMENTS QUERIES');

const RUNS = 10;
const files = readdirSync(documents);
for (const file of readdirSync(queries).sort()) {
  const set = parse(file).name;
  const document = files.find((name) => parse(name).name === set.replace(/-?\d+$/, ''));
  if (document === undefined) throw new Error(`${documents} has no document for ${file}`);
  const lines = readFileSync(join(queries, file), 'utf8').trim().split('\n');
  const wanted = lines.map((line) => {
    const [query, methods] = line.split(' = ');
    return { query, methods: methods.trim().split(/\s+/) };
  });
  const text = readFileSync(join(documents, document), 'utf8');
  const manager = new SandboxManager({
    ...(await registryFromOpenApi(text, { baseUrl: 'http://localhost' })),
    poolSize: 1,
  });
  const search = async (count) => {
    const begin = performance.now();
    const found = await manager.executeSearch(
      `const queries = ${JSON.stringify(wanted.map(({ query }) => query))};
      let found;
      for (let i = 0; i < ${count}; i++) found = queries.map((it) => spec.find(it).map(({ method }) => method));
      found`,
    );
    return { found, ms: performance.now() - begin };
  };
  const once = await search(1);
  const often = await search(1 + RUNS);
  const ranks = wanted.map(({ methods }, at) => once.found[at].findIndex((method) => methods.includes(method)));
  const within = (count) => ranks.filter((rank) => rank !== -1 && rank < count).length;
  const ms = (often.ms - once.ms) / RUNS / wanted.length;
  console.log(
    `${set}: ${within(10)} of ${wanted.length} in the first ten, ${within(3)} in three; ${ms.toFixed(2)} ms each`,
  );
  for (const [at, rank] of ranks.entries()) {
    if (rank === -1 || rank >= 10) console.log(`  ${wanted[at].query}: ${once.found[at].slice(0, 5).join(', ')}`);
  }
  await manager.close();
}
