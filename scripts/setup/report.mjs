// What set-up says while it works: one line for each step that took time, one for what is missing.

import { spawn } from 'node:child_process';

const isTerminal = process.stderr.isTTY === true;
const CLEAR_LINE = isTerminal ? '\r\x1b[2K' : '';
/** Milliseconds between signs of life where there is no terminal. */
const HEARTBEAT_MS = 15_000;

/** Says in one line what set-up goes on without. */
export function tell(message) {
  console.error(`ses-executor set-up: ${message}`);
}

/** Ends set-up with one line. */
export function fail(message) {
  console.error(`${CLEAR_LINE}ses-executor set-up: ${message}`);
  process.exit(1);
}

/**
 * Does a step that takes time and shows that it goes on. `work` gets a function that says what it is doing now.
 */
export async function step(name, work) {
  const started = Date.now();
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(0)} s`;
  let now = '';
  const show = () => {
    const line = `${name} · ${seconds()}${now && ` · ${now}`}`;
    if (isTerminal) process.stderr.write(`${CLEAR_LINE}${line.slice(0, (process.stderr.columns ?? 80) - 1)}`);
    else console.error(line);
  };
  if (!isTerminal) console.error(`${name} ...`);
  const timer = setInterval(show, isTerminal ? 200 : HEARTBEAT_MS);
  try {
    return await work((doing) => {
      now = doing;
    });
  } finally {
    clearInterval(timer);
    console.error(`${CLEAR_LINE}${name} · ${seconds()}`);
  }
}

/**
 * Runs a command and gives each line of its output to `onLine`. Resolves to its exit status and its whole output.
 */
export function run(command, args, { onLine = () => {}, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const lines = [];
    for (const stream of [child.stdout, child.stderr]) {
      let rest = '';
      stream.setEncoding('utf8');
      stream.on('data', (text) => {
        const parts = (rest + text).split(/\r?\n|\r/);
        rest = parts.pop() ?? '';
        for (const line of parts) {
          lines.push(line);
          onLine(line);
        }
      });
      stream.on('end', () => {
        if (rest !== '') lines.push(rest);
      });
    }
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, output: lines.join('\n') }));
  });
}
