// @ts-check
'use strict';

const { parseArgs } = require('node:util');

const { UsageError } = require('./usage-error');
const { optionRow } = require('../../contract/option-table');
const { version } = require('../../../package.json');

const USAGE = `Usage:
  ses-executor run <file | -> [options]    run code; its logs go to stderr, its output to stdout
  ses-executor check <file | -> [options]  check code without running it
  ses-executor mcp [options]               serve the Model Context Protocol over stdin and stdout

The code is JavaScript or TypeScript; in files that end in .ts, .mts or .cts it is TypeScript.

Options:
  --vars <vars.json>      variables for the code: an object (run)
  --tools <tools.mjs>     tools for the code: the exports of the module, or of its default export (run)
  --timeout <ms>          deadline of a run in milliseconds (default ${optionRow('timeoutMs').fallback})
  --max-operations <n>    loop iterations that a run may take (default ${optionRow('maxOperations').fallback})
  --allow-import <name>   a module that the code may import; can be repeated (run, check)
  --json                  print one JSON object to stdout instead of text (run, check)
  --root <folder>         the code may read and change files in this folder (mcp)
  --read-only             it may only read them (mcp)
  --openapi <file>        the code may call the API of this OpenAPI document, JSON or YAML (mcp)
  --base-url <url>        where that API is (default: the document's first server) (mcp)
  --header <name: value>  sent with each request to it; can be repeated (mcp)
  --memory <MiB>          memory that the code may use (default ${optionRow('memoryLimitMb').fallback}) (mcp)
  -h, --help              print this
  -v, --version           print the version

Exit status: 0, 1 for an error of the code, 2 for wrong use.
`;

/** Options by name, as `parseArgs` wants them. */
const OPTIONS = /** @type {const} */ ({
  vars: { type: 'string' },
  tools: { type: 'string' },
  timeout: { type: 'string' },
  'max-operations': { type: 'string' },
  'allow-import': { type: 'string', multiple: true },
  json: { type: 'boolean' },
  root: { type: 'string' },
  'read-only': { type: 'boolean' },
  openapi: { type: 'string' },
  'base-url': { type: 'string' },
  header: { type: 'string', multiple: true },
  memory: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
});

/**
 * The commands: the options that they take, and whether they take a file. Each is loaded when it is called, since they
 * need the addon.
 */
const COMMANDS = /** @type {Record<string, { takes: string[], takesFile: boolean, load: () => Command }>} */ ({
  run: {
    takes: ['vars', 'tools', 'timeout', 'max-operations', 'allow-import', 'json'],
    takesFile: true,
    load: () => require('./run').run,
  },
  check: {
    takes: ['timeout', 'max-operations', 'allow-import', 'json'],
    takesFile: true,
    load: () => require('./check').check,
  },
  mcp: {
    takes: ['timeout', 'max-operations', 'root', 'read-only', 'openapi', 'base-url', 'header', 'memory'],
    takesFile: false,
    load: () => require('./mcp').mcp,
  },
});

/**
 * @typedef {object} CommandOptions
 * @property {string} [vars]
 * @property {string} [tools]
 * @property {number} [timeoutMs]
 * @property {number} [maxOperations]
 * @property {string[]} authorizedImports
 * @property {boolean} json
 * @property {string} [root]
 * @property {boolean} readOnly
 * @property {string} [openapi]
 * @property {string} [baseUrl]
 * @property {string[]} headers
 * @property {number} [memoryLimitMb]
 *
 * @typedef {(file: string, options: CommandOptions) => Promise<number>} Command resolves to the exit status; `file` is
 * empty if the command takes none
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
  const [name, ...files] = positionals;
  if (name === undefined) throw new UsageError('a command is missing');
  if (!Object.hasOwn(COMMANDS, name)) throw new UsageError(`there is no command ${JSON.stringify(name)}`);
  const { takes, takesFile, load } = COMMANDS[name];
  const wrong = Object.keys(values).find((option) => !takes.includes(option));
  if (wrong !== undefined) throw new UsageError(`${name} does not take --${wrong}`);
  const file = takesFile ? oneFile(name, files) : noFile(name, files);
  return load()(file, {
    vars: values.vars,
    tools: values.tools,
    timeoutMs: integer('--timeout', values.timeout, 'timeoutMs'),
    maxOperations: integer('--max-operations', values['max-operations'], 'maxOperations'),
    authorizedImports: values['allow-import'] ?? [],
    json: values.json ?? false,
    root: values.root,
    readOnly: values['read-only'] ?? false,
    openapi: values.openapi,
    baseUrl: values['base-url'],
    headers: values.header ?? [],
    memoryLimitMb: integer('--memory', values.memory, 'memoryLimitMb'),
  });
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message);
  }
}

/**
 * @param {string} command
 * @param {string[]} files
 */
function oneFile(command, files) {
  if (files.length === 0) throw new UsageError(`${command} needs a file, or - for stdin`);
  if (files.length > 1) throw new UsageError(`${command} takes one file, got ${files.length}`);
  return files[0];
}

/**
 * @param {string} command
 * @param {string[]} files
 */
function noFile(command, files) {
  if (files.length > 0) throw new UsageError(`${command} takes no file, got ${JSON.stringify(files[0])}`);
  return '';
}

/**
 * @param {string} option
 * @param {string | undefined} text
 * @param {string} name of the executor's option
 */
function integer(option, text, name) {
  if (text === undefined) return undefined;
  const { min = 1, max = Infinity } = optionRow(name);
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new UsageError(`${option} must be an integer from ${min} to ${max}, got ${JSON.stringify(text)}`);
  }
  return value;
}

module.exports = { main };
