// Checks which crates of the workspace use which others. Cargo only refuses cycles of crates. This script also refuses
// dependencies that are not listed here, cycles between the modules of a crate, and the name of an engine in files that
// serve all engines.
//
//   node scripts/check-crates.mjs

import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { namesOfEngine } from './engine-names.mjs';
import { circlesIn, upwardIn } from './module-arrows.mjs';
import { cargoEnvironment } from './setup/machine.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What each crate may name among its dependencies, the lowest first. */
const LAYERS = {
  'ses-protocol': [],
  'ses-sync': [],
  'ses-transfer': [],
  'ses-files': [],
  'ses-sandbox': [],
  'ses-hints': ['ses-protocol'],
  'ses-prepare': ['ses-protocol'],
  'ses-session': ['ses-hints', 'ses-protocol', 'ses-sync'],
  'ses-journal': ['ses-protocol', 'ses-session', 'ses-sync'],
  'ses-engine': ['ses-files', 'ses-hints', 'ses-prepare', 'ses-protocol', 'ses-sync', 'ses-transfer'],
  'ses-peer': ['ses-protocol', 'ses-session', 'ses-sync', 'ses-transfer'],
  'ses-process': ['ses-peer', 'ses-protocol', 'ses-session', 'ses-sync'],
  'ses-remote': ['ses-peer', 'ses-process', 'ses-protocol', 'ses-session'],
  'ses-worker': ['ses-engine', 'ses-process', 'ses-protocol', 'ses-sandbox', 'ses-session', 'ses-sync'],
  'ses-thread': ['ses-engine', 'ses-protocol', 'ses-session', 'ses-sync'],
  'ses-executor-fuzz': ['ses-journal', 'ses-prepare', 'ses-protocol', 'ses-session', 'ses-sync', 'ses-transfer'],
  'ses-executor': [
    'ses-engine',
    'ses-files',
    'ses-hints',
    'ses-journal',
    'ses-peer',
    'ses-prepare',
    'ses-process',
    'ses-protocol',
    'ses-remote',
    'ses-session',
    'ses-sync',
    'ses-thread',
    'ses-transfer',
    'ses-worker',
  ],
};
/**
 * The folders of a crate's `src/`, with the files that they use, the lowest first. A module uses only modules below its
 * own, and those of a list do not use each other. `tests/` and files without a place may use all of them.
 */
const ORDER = {
  'ses-engine': ['control', 'memory', 'platform', 'values', 'state', 'errors', 'bridge', 'realm', 'python'],
  'ses-prepare': [
    ['diagnostics', 'dialect', 'goal', 'options', 'stack', 'trivia', 'regexps', 'observed'],
    'syntax',
    'token_context',
    'rules',
    'source_index',
    'positions',
    ['nesting', 'parse'],
    'descent',
    'analyze',
    ['plan', 'transform', 'typescript', 'sdk_program'],
    'print',
  ],
  'ses-protocol': [
    ['block', 'language', 'diagnostics', 'encoding', 'refusals'],
    ['config', 'lifecycle', 'logs', 'value'],
    ['failure_kind', 'options'],
    'failure',
    'messages',
    'frames',
  ],
  'ses-remote': [
    ['packet', 'lock', 'pings', 'servers'],
    'room',
    ['incoming', 'network', 'outgoing', 'claim', 'subjects'],
    ['channel', 'status'],
    ['client', 'supervisor'],
  ],
};
/** Engines by their folder: the words that name them, and the other files that may use these words. */
const ENGINES = {
  'crates/engine/src/python': {
    words: /python|pyodide/i,
    exempt: [
      'crates/engine/src/engines.rs',
      // It declares the module.
      'crates/engine/src/lib.rs',
      'crates/engine/src/tests/python.rs',
      // They know Python as the language that models confuse with JavaScript.
      'crates/hints',
      'crates/prepare',
    ],
  },
};
/** The crates that may use an external crate. */
const OWNERS = {
  deno_core: ['ses-engine'],
  v8: ['ses-engine'],
  'async-nats': ['ses-remote'],
  tokio: ['ses-remote'],
  napi: ['ses-executor'],
  'napi-derive': ['ses-executor'],
  'napi-sys': ['ses-executor'],
  swc_ecma_parser: ['ses-prepare'],
  landlock: ['ses-sandbox'],
  seccompiler: ['ses-sandbox'],
};

const metadata = execFileSync('cargo', ['metadata', '--format-version', '1', '--no-deps', '--locked', '--offline'], {
  env: cargoEnvironment(),
  encoding: 'utf8',
  maxBuffer: 1 << 26,
});

const findings = [];
for (const { name, dependencies, manifest_path: manifest } of JSON.parse(metadata).packages) {
  const allowed = LAYERS[name];
  if (allowed === undefined) {
    findings.push(`${name} is not in the layers of scripts/check-crates.mjs`);
    continue;
  }
  for (const { name: used } of dependencies) {
    const isRefused = used in LAYERS ? !allowed.includes(used) : OWNERS[used]?.includes(name) === false;
    if (isRefused) findings.push(`${name} must not use ${used}`);
  }
  const sources = join(dirname(manifest), 'src');
  findings.push(...upwardIn(sources, ORDER[name] ?? []).map((finding) => `${name}: ${finding}`));
  for (const circle of circlesIn(sources)) {
    findings.push(`modules of ${name} name each other in a circle: ${[...circle, circle[0]].join(' → ')}`);
  }
}
for (const root of ['crates', 'src']) {
  for (const [engine, rule] of Object.entries(ENGINES)) findings.push(...namesOfEngine(ROOT, root, engine, rule));
}
for (const finding of findings) console.error(finding);
process.exitCode = findings.length > 0 ? 1 : 0;
