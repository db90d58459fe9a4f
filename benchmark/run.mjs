// Compares this package with its peers, side by side in one run: `npm run bench`.
//
//   node benchmark/run.mjs [--quick] [--only case,...] [--peers id,...] [--check]
//
// Prints the tables. A full run, without --quick, --only and --peers, also writes reports/benchmark.md. With --check the
// exit status is 1 if a must is missed.

import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { CASES } from './cases/index.mjs';
import { runCase } from './driver.mjs';
import { judge } from './goals.mjs';
import { installPeers, peersNode, versionOf } from './install.mjs';
import { BASELINE, OURS, PEERS } from './peers/index.mjs';
import { report } from './report.mjs';

const CLEAR_LINE = process.stderr.isTTY ? '\r\x1b[2K' : '';
const RESULTS = fileURLToPath(new URL('../reports/benchmark.md', import.meta.url));
/** Of a quick run these leave out the peers that take long. */
const LONG_CASES = ['tools', 'transfer', 'memory', 'cpu', 'models', 'kill', 'bombs', 'throughput'];
const QUICK_PEERS = [OURS, 'isolated-vm', BASELINE];

const options = readOptions();
const started = Date.now();
const failure = await installPeers();
const node = peersNode();
const peers = PEERS.map((peer) => describePeer(peer, node, failure)).filter(
  ({ id }) => options.peers?.includes(id) ?? true,
);
const rows = [];
for (const theCase of CASES.filter(({ id }) => options.only?.includes(id) ?? true)) {
  if (theCase.isLinuxOnly && process.platform !== 'linux') continue;
  const asked = peers.filter(
    ({ id, missing }) =>
      missing === undefined && !(options.quick && LONG_CASES.includes(theCase.id) && !QUICK_PEERS.includes(id)),
  );
  const before = Date.now();
  rows.push(...(await runCase(theCase, asked, { isQuick: options.quick, onProgress: showProgress })));
  console.error(`${CLEAR_LINE}${theCase.title} · ${((Date.now() - before) / 1e3).toFixed(0)} s`);
}
const text = await format(report({ rows, peers, machine: describeMachine() }));
console.log(text);
if (options.isFull) writeFileSync(RESULTS, text);
const missed = judge(rows).filter(({ verdict }) => verdict === 'missed');
console.error(`${missed.length} of ${judge(rows).length} musts missed; ${Math.round((Date.now() - started) / 1e3)} s`);
if (options.check && missed.length > 0) process.exitCode = 1;

function readOptions() {
  const list = (text) => text?.split(',');
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      only: { type: 'string' },
      peers: { type: 'string' },
    },
  });
  const only = list(values.only);
  const chosen = list(values.peers);
  const unknown = [
    ...(only ?? []).filter((id) => !CASES.some((one) => one.id === id)),
    ...(chosen ?? []).filter((id) => !PEERS.some((one) => one.id === id)),
  ];
  if (unknown.length > 0) {
    console.error(`unknown: ${unknown.join(', ')}`);
    console.error(`cases: ${CASES.map(({ id }) => id).join(', ')}\npeers: ${PEERS.map(({ id }) => id).join(', ')}`);
    process.exit(2);
  }
  return { ...values, only, peers: chosen, isFull: !values.quick && only === undefined && chosen === undefined };
}

function describePeer(peer, { path, version }, failure) {
  const execPath = peer.isOnHostNode ? process.execPath : path;
  const described = { ...peer, execPath };
  if (peer.isOnHostNode) {
    const isSame = version === process.versions.node;
    return { ...described, note: `Node.js ${process.versions.node}`, ...(isSame && { missing: 'the same Node.js' }) };
  }
  if (peer.package === undefined) return described;
  const installed = versionOf(peer.package);
  if (installed === undefined) return { ...described, missing: failure ?? 'npm did not install it on this platform' };
  return { ...described, title: `${peer.title} ${installed}` };
}

function describeMachine() {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const [{ model }] = cpus();
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  return [
    `Date: ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${Math.round((Date.now() - started) / 1e3)} s`,
    `Machine: ${process.platform} ${release()}, ${process.arch}, ${cpus().length} × ${model.trim()}, ${gibibytes} GiB`,
    `ses-executor ${version}; all columns in Node.js ${node.version} unless they say otherwise`,
  ];
}

/** As `npm run format` would; the project has prettier. */
async function format(text) {
  const { default: prettier } = await import('prettier');
  return prettier.format(text, { ...(await prettier.resolveConfig(RESULTS)), parser: 'markdown' });
}

function showProgress(text) {
  if (process.stderr.isTTY) process.stderr.write(`${CLEAR_LINE}${text.slice(0, (process.stderr.columns ?? 80) - 1)}`);
}
