// Prints an agent's steps for people: thought, code, logs, output or error, figures.

import { inspect } from 'node:util';

const hasColours = process.stdout.isTTY === true && process.stdout.hasColors();
const colour = (code) => (text) => (hasColours ? `\x1b[${code}m${text}\x1b[0m` : text);
const bold = colour('1');
const dim = colour('2');
const red = colour('31');
const green = colour('32');
const yellow = colour('33');

export class ExecutorPrinter {
  #steps = 0;
  #started = performance.now();

  step(thought, code) {
    this.#steps += 1;
    console.log(`${bold(`Step ${this.#steps}`)}  ${thought}\n`);
    block(dim('│ '), code);
    console.log();
  }

  log({ level, message }) {
    block(`  ${level === 'warn' || level === 'error' ? yellow(level.padEnd(5)) : dim(level.padEnd(5))} `, message);
  }

  output({ output, is_final_answer: isFinal, stats }) {
    const text = typeof output === 'string' ? output : inspect(output, { colors: hasColours, depth: 4 });
    block(`  ${green(isFinal ? 'final_answer' : 'output')} `, text);
    figures(stats);
  }

  error({ code, message, details, stats }) {
    block(`  ${red(code)} `, message);
    if (details.codeFrame !== undefined) block('    ', details.codeFrame.trimEnd());
    if (stats !== undefined) figures(stats);
  }

  end(state) {
    const seconds = ((performance.now() - this.#started) / 1000).toFixed(2);
    console.log(dim(`${this.#steps} steps in ${seconds} s; the executor is ${state}`));
  }
}

/** Each line of `text` after `head`, or after as many spaces. */
function block(head, text) {
  // eslint-disable-next-line no-control-regex -- colours take no room
  const indent = head.includes('│') ? head : ' '.repeat(head.replace(/\x1b\[\d+m/g, '').length);
  console.log(head + text.split('\n').join(`\n${indent}`));
}

function figures({ durationMs, operations, toolCalls }) {
  const parts = [`${durationMs.toFixed(1)} ms`, `${operations} loop iterations`, `${toolCalls} tool calls`];
  console.log(dim(`  ${parts.join(' · ')}\n`));
}
