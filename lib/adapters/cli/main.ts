import { parseArgs } from 'node:util';

import { readText } from './input';
import { UsageError } from './usage-error';
import { isBindable } from '../../contract/identifiers';
import { optionRow } from '../../contract/option-table';
import { version } from '../../../package.json';
import type { Foreign } from '../../contract/foreign';

/** The default folder for Python packages. */
const DEFAULT_FOLDER = 'python_packages';

const USAGE = `Usage:
  ses-executor run <file | -> [options]    run code; its logs go to stderr, its output to stdout
  ses-executor check <file | -> [options]  check code without running it
  ses-executor check --module <name>       check whether a library, a package or a file, loads as a module of code,
                                           and which globals it names that code does not have; npm install esbuild
  ses-executor repl [options]              run what you type
  ses-executor mcp [options]               serve the Model Context Protocol over stdin and stdout
  ses-executor python add <package...> [options]
                                           add packages for Python to a folder: wheels, or what pip finds (npm install pyodide)

The code is JavaScript or TypeScript; in files that end in .ts, .mts or .cts it is TypeScript, in those that end in .py it is
Python (run; npm install pyodide).

Options:
  --vars <vars.json>      variables for the code: an object (run, repl, mcp)
  --tools <tools.mjs>     tools for the code: the exports of the module, or its default export (run, repl, mcp)
  --timeout <ms>          deadline of a run in milliseconds (default ${optionRow('timeoutMs').fallback}; with --openapi 30000)
  --tool-timeout <ms>     time of a call of a tool; waiting for it does not count against --timeout (default: it counts) (mcp)
  --max-operations <n>    loop iterations, or lines of Python, that a run may take (default: any number)
  --allow-import <name[=module.mjs]>
                          a module that the code may import, and its text; can be repeated (run, check, repl, mcp)
  --json                  print one JSON object to stdout instead of text (run, check)
  --root <folder>         the code may read and change files in this folder (repl, mcp)
  --read-only             it may only read them (repl, mcp)
  --server <name=command>  the code may call the tools of this other MCP server as name.tool(); can be repeated (repl, mcp)
  --python                the code is Python (repl), the server has run_python as well (mcp); npm install pyodide
  --packages <folder>     packages that Python may import: those of \`python add\` (run, repl, mcp)
  --to <folder>           where packages are added (default ${DEFAULT_FOLDER}) (python)
  -r, --requirement <file>  packages with versions and hashes, as pip reads them; can be repeated (python)
  --openapi <file>        the code may call the API of this OpenAPI document, JSON or YAML (mcp)
  --base-url <url>        where that API is (default: the document's first server) (mcp)
  --header <name: value>  sent with each request to it; can be repeated (mcp)
  --credential <scheme=value>
                          for a security scheme of the document; can be repeated (mcp). In these three, \${NAME} is the
                          environment variable NAME: other users of the machine can read arguments
  --memory <MiB>          memory that the code may use (default ${optionRow('memoryLimitMb').fallback}; with --openapi 64) (repl, mcp)
  -h, --help              print this
  -v, --version           print the version

Exit status: 0, 1 for an error of the code, 2 for wrong use, 13 for what awaits what never comes.
`;

/** Options by name, in the format of `parseArgs`. */
const OPTIONS = {
  vars: { type: 'string' },
  tools: { type: 'string' },
  timeout: { type: 'string' },
  'tool-timeout': { type: 'string' },
  'max-operations': { type: 'string' },
  'allow-import': { type: 'string', multiple: true },
  json: { type: 'boolean' },
  module: { type: 'boolean' },
  root: { type: 'string' },
  'read-only': { type: 'boolean' },
  server: { type: 'string', multiple: true },
  python: { type: 'boolean' },
  packages: { type: 'string' },
  to: { type: 'string' },
  requirement: { type: 'string', short: 'r', multiple: true },
  openapi: { type: 'string' },
  'base-url': { type: 'string' },
  header: { type: 'string', multiple: true },
  credential: { type: 'string', multiple: true },
  memory: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** Options of the commands that run many programs in one executor. */
const SESSION_OPTIONS = [
  ...['vars', 'tools', 'allow-import', 'root', 'read-only', 'server', 'python', 'packages'],
  ...['timeout', 'max-operations', 'memory'],
];

/**
 * The commands, with their options and the conversion of their other arguments. Each command is loaded when it is
 * called, because it needs the addon.
 */
const COMMANDS = {
  run: {
    takes: ['vars', 'tools', 'timeout', 'max-operations', 'allow-import', 'packages', 'json'],
    words: oneFile,
    load: () => (require('./run') as typeof import('./run')).run,
  },
  check: {
    takes: ['timeout', 'max-operations', 'allow-import', 'json', 'module'],
    words: oneFile,
    load: () => (require('./check') as typeof import('./check')).check,
  },
  repl: {
    takes: SESSION_OPTIONS,
    words: noFile,
    load: () => (require('./repl') as typeof import('./repl')).repl,
  },
  mcp: {
    takes: [...SESSION_OPTIONS, 'tool-timeout', 'openapi', 'base-url', 'header', 'credential'],
    words: noFile,
    load: () => (require('./mcp') as typeof import('./mcp')).mcp,
  },
  python: {
    takes: ['to', 'requirement'],
    words: (_name, words) => words,
    load: () => (require('./python') as typeof import('./python')).python,
  },
} as Record<string, { takes: string[]; words: Words; load: () => Command }>;

export interface CommandOptions {
  vars?: string;
  tools?: string;
  timeoutMs?: number;
  toolTimeoutMs?: number;
  maxOperations?: number;
  authorizedImports: string[];
  /** Source texts by module name, for modules that have one. */
  modules: Record<string, string>;
  json: boolean;
  /** Whether the file is a library. */
  module: boolean;
  root?: string;
  readOnly: boolean;
  servers: { name: string; command: string }[];
  python: boolean;
  packages?: string;
  to: string;
  requirements: string[];
  openapi?: string;
  baseUrl?: string;
  headers: string[];
  credentials: string[];
  memoryLimitMb?: number;
}

/** Resolves to the exit status. `words` are the converted arguments: a file, nothing, or the arguments themselves. */
export type Command = (words: Foreign, options: CommandOptions) => Promise<number>;

export type Words = (command: string, words: string[]) => string | string[];

/** Runs the command line. Ends the process even if tools have left timers running. */
export async function main(args: string[]) {
  let lost: NodeJS.ErrnoException | undefined;
  // The streams are saved first, because a command may take stdout for itself.
  const { stdout, stderr } = process;
  stdout.on('error', (error) => (lost ??= error));
  stderr.on('error', () => {});
  process.on('beforeExit', endStuck);
  let status;
  try {
    status = await dispatch(args).finally(() => process.off('beforeExit', endStuck));
    await written(stdout);
    // The reader of the output may stop reading: `ses-executor run program.js | head -1`.
    if (lost !== undefined && lost.code !== 'EPIPE') throw lost;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    // The complete help would scroll the error message off the screen.
    const help = isUsage ? '`ses-executor --help` says how it is used.\n' : '';
    stderr.write(`ses-executor: ${(error as Error).message}\n${help}`);
    status = isUsage ? 2 : 1;
  }
  await Promise.all([stdout, stderr].map(written));
  process.exit(status);
}

/** Called when the event loop is empty before the command has ended. Node.js itself exits with 13 in this case. */
function endStuck() {
  process.stderr.write(
    'ses-executor: it awaits what never comes, such as a module of --tools whose top-level await never ends\n',
  );
  process.exit(13);
}

/** @param stream any stream; a pipe may still buffer output */
function written(stream: NodeJS.WriteStream) {
  return new Promise((done) => stream.write('', done));
}

async function dispatch(args: string[]) {
  const { values, positionals } = parse(args);
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (values.version) {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const [name, ...given] = positionals;
  const known = `the commands are ${Object.keys(COMMANDS).join(', ')}`;
  if (name === undefined) throw new UsageError(`a command is missing; ${known}`);
  if (!Object.hasOwn(COMMANDS, name)) throw new UsageError(`there is no command ${JSON.stringify(name)}; ${known}`);
  const { takes, words, load } = COMMANDS[name];
  const wrong = Object.keys(values).find((option) => !takes.includes(option));
  if (wrong !== undefined) throw new UsageError(`${name} does not take --${wrong}`);
  return load()(words(name, given), {
    vars: values.vars,
    tools: values.tools,
    timeoutMs: integer('--timeout', values.timeout, 'timeoutMs'),
    toolTimeoutMs: integer('--tool-timeout', values['tool-timeout'], 'toolTimeoutMs'),
    maxOperations: integer('--max-operations', values['max-operations'], 'maxOperations'),
    ...imports(values['allow-import'] ?? []),
    json: values.json ?? false,
    module: values.module ?? false,
    root: values.root,
    readOnly: values['read-only'] ?? false,
    servers: (values.server ?? []).map(serverOf),
    python: values.python ?? false,
    packages: values.packages,
    to: values.to ?? DEFAULT_FOLDER,
    requirements: values.requirement ?? [],
    openapi: values.openapi,
    baseUrl: values['base-url'],
    headers: values.header ?? [],
    credentials: values.credential ?? [],
    memoryLimitMb: integer('--memory', values.memory, 'memoryLimitMb'),
  });
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function oneFile(command: string, files: string[]) {
  if (files.length === 0) throw new UsageError(`${command} needs a file, or - for stdin`);
  if (files.length > 1) throw new UsageError(`${command} takes one file, got ${files.length}`);
  return files[0];
}

function noFile(command: string, files: string[]) {
  if (files.length > 0) throw new UsageError(`${command} takes no file, got ${JSON.stringify(files[0])}`);
  return '';
}

/** @param given module names, or `name=file` */
function imports(given: string[]) {
  const pairs = given.map((text) => splitAt(text, '='));
  const files = pairs.filter(([, file]) => file !== undefined);
  return {
    authorizedImports: pairs.map(([name]) => name),
    modules: Object.fromEntries(files.map(([name, file]) => [name, readText(file as string)])),
  };
}

/** @param text a string of the form `name=command` */
function serverOf(text: string) {
  const [name, command] = splitAt(text, '=');
  if (command === undefined || command.trim() === '' || !isBindable(name)) {
    throw new UsageError(`--server must be like name=command, with an identifier as name, got ${JSON.stringify(text)}`);
  }
  return { name, command };
}

function splitAt(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** @param name name of the executor's option */
function integer(option: string, text: string | undefined, name: string) {
  if (text === undefined) return undefined;
  const { min = 1, max = Infinity } = optionRow(name);
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new UsageError(`${option} must be an integer from ${min} to ${max}, got ${JSON.stringify(text)}`);
  }
  return value;
}
