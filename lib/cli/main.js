// @ts-check
'use strict';

const { parseArgs } = require('node:util');

const { UsageError } = require('./usage-error');
const { version } = require('../../package.json');

const USAGE = `Usage:
  ses-executor run <file | -> [options]    run code; its logs go to stderr, its output to stdout
  ses-executor check <file | -> [options]  check code without running it

The code is JavaScript or TypeScript; in files that end in .ts, .mts or .cts it is TypeScript.

Options:
  --vars <vars.json>      variables for the code: an object (run)
  --tools <tools.mjs>     tools for the code: the exports of the module, or of its default export (run)
  --timeout <ms>          deadline of the run in milliseconds (default 10000)
  --max-operations <n>    loop iterations that the run may take (default 50000)
  --allow-import <name>   a module that the code may import; can be repeated
  --json                  print one JSON object to stdout instead of text
  -h, --help              print this
  -v, --version           print the version

Exit status: 0, 1 for an error of the code, 2 for wrong use.
`;

/** The commands; each is loaded when it is called, since they need the addon. */
const COMMANDS = /** @type {Record<string, () => Command>} */ ({
  run: () => require('./run').run,
  check: () => require('./check').check,
});

/**
 * @typedef {object} CommandOptions
 * @property {string} [vars]
 * @property {string} [tools]
 * @property {number} [timeoutMs]
 * @property {number} [maxOperations]
 * @property {string[]} authorizedImports
 * @property {boolean} json
 *
 * @typedef {(file: string, options: CommandOptions) => Promise<number>} Command resolves to the exit status
 */

/**
 * The command line. Ends the process, also if tools have left timers behind.
 *
 * @param {string[]} args
 */
async function main(args) {
  // Whoever reads the output may stop: `ses-executor run program.js | head -1`.
  process.stdout.on('error', () => process.exit(0));
  process.stderr.on('error', () => {});
  let status;
  try {
    status = await dispatch(args);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    process.stderr.write(`ses-executor: ${/** @type {Error} */ (error).message}\n${isUsage ? `\n${USAGE}` : ''}`);
    status = isUsage ? 2 : 1;
  }
  // Pipes may still hold text.
  await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
  process.exit(status);
}

/** @param {string[]} args */
async function dispatch(args) {
  const { values, positionals } = parse(args);
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (values.version) {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const [name, file, ...rest] = positionals;
  if (name === undefined) throw new UsageError('a command is missing');
  if (!Object.hasOwn(COMMANDS, name)) throw new UsageError(`there is no command ${JSON.stringify(name)}`);
  if (file === undefined) throw new UsageError(`${name} needs a file, or - for stdin`);
  if (rest.length > 0) throw new UsageError(`${name} takes one file, got ${positionals.length - 1}`);
  if (name === 'check' && (values.vars !== undefined || values.tools !== undefined)) {
    throw new UsageError('check takes neither --vars nor --tools');
  }
  return COMMANDS[name]()(file, {
    vars: values.vars,
    tools: values.tools,
    timeoutMs: integer('--timeout', values.timeout, 2 ** 31 - 1),
    maxOperations: integer('--max-operations', values['max-operations'], Number.MAX_SAFE_INTEGER),
    authorizedImports: values['allow-import'] ?? [],
    json: values.json ?? false,
  });
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        vars: { type: 'string' },
        tools: { type: 'string' },
        timeout: { type: 'string' },
        'max-operations': { type: 'string' },
        'allow-import': { type: 'string', multiple: true },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    });
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message);
  }
}

/**
 * @param {string} option
 * @param {string | undefined} text
 * @param {number} max
 */
function integer(option, text, max) {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > max) {
    throw new UsageError(`${option} must be an integer from 1 to ${max}, got ${JSON.stringify(text)}`);
  }
  return value;
}

module.exports = { main };
