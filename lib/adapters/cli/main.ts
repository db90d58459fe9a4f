import { parseArgs } from 'node:util';

import { readText } from './input';
import { UsageError } from './usage-error';
import { isBindable } from '../../contract/identifiers';
import { DEFAULT_FOLDER, OPTIONS, commandHelp, generalHelp, unknownOption } from './usage';
import { optionRow } from '../../contract/option-table';
import { checkNetwork } from '../../contract/network-policy';
import { closest } from '../../contract/options';
import { version } from '../../../package.json';
import type { GuestGlobal } from '../../contract/executor-types';
import type { TypeCheck } from '../../contract/options';
import type { Foreign } from '../../contract/foreign';
import type { ServerTarget } from '../mcp/address';

/** Options that say which fleet a command uses. */
const FLEET_OPTIONS = ['servers', 'pool', 'credentials'];

/** Options of the commands that run many programs in one executor. */
const SESSION_OPTIONS = [
  ...['vars', 'tools', 'allow-import', 'root', 'read-only', 'server', 'python', 'packages'],
  ...['timeout', 'max-operations', 'memory', 'globals', 'allow-host', 'typecheck', ...FLEET_OPTIONS],
];

/**
 * The commands, with their options and the conversion of their other arguments. Each command is loaded when it is
 * called, because it needs the addon.
 */
const COMMANDS = {
  run: {
    takes: [
      ...['vars', 'tools', 'timeout', 'max-operations', 'allow-import', 'packages', 'globals', 'allow-host', 'json'],
      'typecheck',
      ...FLEET_OPTIONS,
    ],
    words: oneFile,
    load: () => (require('./run') as typeof import('./run')).run,
  },
  check: {
    takes: ['timeout', 'max-operations', 'allow-import', 'globals', 'json', 'module'],
    words: oneFile,
    load: () => (require('./check') as typeof import('./check')).check,
  },
  repl: {
    takes: SESSION_OPTIONS,
    words: noFile,
    load: () => (require('./repl') as typeof import('./repl')).repl,
  },
  mcp: {
    takes: [
      ...[...SESSION_OPTIONS, 'tool-timeout', 'keep-state', 'no-keep-state'],
      ...['openapi', 'base-url', 'header', 'credential', 'http', 'allow-origin', 'max-sessions'],
    ],
    words: (command, words) => (words[0] === 'login' || words[0] === 'logout' ? words : noFile(command, words)),
    load: () => (require('./mcp') as typeof import('./mcp')).mcp,
  },
  python: {
    takes: ['to', 'requirement', 'from', 'list'],
    words: (_name, words) => words,
    load: () => (require('./python') as typeof import('./python')).python,
  },
  sessions: {
    takes: ['store', 'tools', 'result', 'error', 'approve', 'approve-plan', 'run', 'json'],
    words: (_name, words) => words,
    load: () => (require('./sessions') as typeof import('./sessions')).sessions,
  },
  worker: {
    takes: [...FLEET_OPTIONS, 'capacity', 'sandbox', 'spares', 'memory', 'packages', 'grace', 'listen', 'name'],
    words: noFile,
    load: () => (require('./worker') as typeof import('./worker')).worker,
  },
  fleet: {
    takes: [...FLEET_OPTIONS, 'watch', 'json'],
    words: (_name, words) => words,
    load: () => (require('./fleet') as typeof import('./fleet')).fleet,
  },
  replay: {
    takes: ['json'],
    words: (_name, words) => words,
    load: () => (require('./sessions') as typeof import('./sessions')).replay,
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
  globals: GuestGlobal[];
  /** Present if hosts were named that code may ask. */
  network?: { allow: string[] };
  typecheck?: TypeCheck;
  json: boolean;
  /** Whether the file is a library. */
  module: boolean;
  root?: string;
  readOnly: boolean;
  mcpServers: ServerTarget[];
  python: boolean;
  packages?: string;
  keepState: boolean;
  to: string;
  requirements: string[];
  from?: string;
  list: boolean;
  openapi?: string;
  baseUrl?: string;
  headers: string[];
  credentials: string[];
  memoryLimitMb?: number;
  /** Where the server listens: `<host>:<port>`. */
  http?: string;
  origins: string[];
  maxSessions?: number;
  store?: string;
  /** JSON text */
  result?: string;
  error?: string;
  approve: boolean;
  approvePlan: boolean;
  run?: number;
  /** Addresses of the brokers of a fleet. */
  servers?: string;
  pool?: string;
  credentialsFile?: string;
  /** Of workers of a fleet, and of commands about them. */
  capacity?: number;
  sandbox?: string;
  spares?: number;
  /** in milliseconds */
  grace?: number;
  listen?: string;
  name?: string;
  watch: boolean;
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
    const help = isUsage ? 'Run `ses-executor --help` for usage.\n' : '';
    stderr.write(`ses-executor: ${(error as Error).message}\n${help}`);
    status = isUsage ? 2 : 1;
  }
  await Promise.all([stdout, stderr].map(written));
  process.exit(status);
}

/** Called when the event loop is empty before the command has ended. Node.js itself exits with 13 in this case. */
function endStuck() {
  process.stderr.write(
    'ses-executor: nothing is left to do, but the command has not ended: a module of --tools may have a top-level await that never finishes\n',
  );
  process.exit(13);
}

/** @param stream any stream; a pipe may still buffer output */
function written(stream: NodeJS.WriteStream) {
  return new Promise((done) => stream.write('', done));
}

async function dispatch(args: string[]) {
  const { values, positionals }: Parsed = parse(args);
  const [name, ...given] = positionals;
  const isCommand = name !== undefined && Object.hasOwn(COMMANDS, name);
  if (values.help) {
    process.stdout.write(isCommand ? commandHelp(name, COMMANDS[name].takes) : generalHelp(takesOfAll()));
    return 0;
  }
  if (values.version) {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const known = `the commands are ${Object.keys(COMMANDS).join(', ')}`;
  if (name === undefined) throw new UsageError(`a command is missing; ${known}`);
  if (!isCommand) {
    const near = name === 'help' ? '--help' : closest(name, Object.keys(COMMANDS));
    const hint = near === undefined ? known : `did you mean ${near}?`;
    throw new UsageError(`there is no command ${JSON.stringify(name)}; ${hint}`);
  }
  const { takes, words, load } = COMMANDS[name];
  const wrong = Object.keys(values).find((option) => !takes.includes(option));
  if (wrong !== undefined) {
    // Other options of other commands are not typing errors.
    const near = takes.find((option) => option.startsWith(wrong) || wrong.startsWith(option));
    throw new UsageError(`${name} does not take --${wrong}${near === undefined ? '' : `; did you mean --${near}?`}`);
  }
  if (values['keep-state'] && values['no-keep-state']) {
    throw new UsageError('--keep-state and --no-keep-state cannot be combined');
  }
  return load()(words(name, given), {
    vars: values.vars,
    tools: values.tools,
    timeoutMs: integer('--timeout', values.timeout, 'timeoutMs'),
    toolTimeoutMs: integer('--tool-timeout', values['tool-timeout'], 'toolTimeoutMs'),
    maxOperations: operations(values['max-operations']),
    ...imports(values['allow-import'] ?? []),
    ...globals(values.globals ?? [], values['allow-host'] ?? []),
    typecheck: typecheckOf(values.typecheck),
    json: values.json ?? false,
    module: values.module ?? false,
    root: values.root,
    readOnly: values['read-only'] ?? false,
    mcpServers: (values.server ?? []).map(serverOf),
    python: values.python ?? false,
    packages: values.packages,
    keepState: !values['no-keep-state'],
    to: values.to ?? DEFAULT_FOLDER,
    requirements: values.requirement ?? [],
    from: values.from,
    list: values.list ?? false,
    openapi: values.openapi,
    baseUrl: values['base-url'],
    headers: values.header ?? [],
    credentials: values.credential ?? [],
    http: values.http,
    origins: values['allow-origin'] ?? [],
    maxSessions: count('--max-sessions', values['max-sessions']),
    memoryLimitMb: integer('--memory', values.memory, 'memoryLimitMb'),
    store: values.store,
    result: values.result,
    error: values.error,
    approve: values.approve ?? false,
    approvePlan: values['approve-plan'] ?? false,
    run: count('--run', values.run),
    servers: values.servers,
    pool: values.pool,
    credentialsFile: values.credentials,
    capacity: count('--capacity', values.capacity),
    sandbox: values.sandbox,
    spares: integer('--spares', values.spares, 'spares'),
    grace: count('--grace', values.grace),
    listen: values.listen,
    name: values.name,
    watch: values.watch ?? false,
  });
}

type Parsed = { values: Record<string, Foreign>; positionals: string[] };

function parse(args: string[]): Parsed {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw new UsageError(message);
    const [, option = ''] = /'(-[^']*)'/.exec(message) ?? [];
    const command = args.find((word) => Object.hasOwn(COMMANDS, word));
    const takes = command === undefined ? Object.keys(OPTIONS) : COMMANDS[command].takes;
    throw new UsageError(unknownOption(option, takes));
  }
}

function takesOfAll() {
  return Object.fromEntries(Object.entries(COMMANDS).map(([name, { takes }]) => [name, takes]));
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

/**
 * @param given lists of groups, with commas
 * @param hosts those that code may ask: in JavaScript with `fetch`, which needs its group
 */
function globals(given: string[], hosts: string[]) {
  const known = optionRow('globals').values ?? [];
  const groups = given.flatMap((list) => list.split(',').map((group) => group.trim()));
  const wrong = groups.find((group) => !known.includes(group));
  if (wrong !== undefined) {
    throw new UsageError(`--globals must be a list of ${known.join(', ')}, got ${JSON.stringify(wrong)}`);
  }
  try {
    if (hosts.length > 0) checkNetwork({ allow: hosts });
  } catch (error) {
    throw new UsageError((error as Error).message.replace(/^options\.network\.allow\[\d+\]/, '--allow-host'));
  }
  return { globals: groups as GuestGlobal[], ...(hosts.length > 0 && { network: { allow: hosts } }) };
}

function typecheckOf(mode: TypeCheck | undefined) {
  const known = optionRow('typecheck').values ?? [];
  if (mode === undefined || known.includes(mode)) return mode;
  throw new UsageError(`--typecheck must be one of ${known.join(', ')}, got ${JSON.stringify(mode)}`);
}

/** @param text a string of the form `name=command` or `name=address` */
function serverOf(text: string) {
  const [name, command] = splitAt(text, '=');
  if (command === undefined || command.trim() === '' || !isBindable(name)) {
    throw new UsageError(`--server must be like name=command, with an identifier as name, got ${JSON.stringify(text)}`);
  }
  const { serverTarget } = require('./server-target') as typeof import('./server-target');
  return serverTarget(name, command);
}

function splitAt(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function count(option: string, text: string | undefined) {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${option} must be an integer, got ${JSON.stringify(text)}`);
  return Number(text);
}

/** @param name name of the executor's option */
function integer(option: string, text: string | undefined, name: string, alternative: string = '') {
  if (text === undefined) return undefined;
  const { min = 1, max = Infinity } = optionRow(name);
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new UsageError(
      `${option} must be an integer from ${min} to ${max}${alternative}, got ${JSON.stringify(text)}`,
    );
  }
  return value;
}

function operations(text: string | undefined) {
  return text === 'Infinity' ? Infinity : integer('--max-operations', text, 'maxOperations', ', or Infinity');
}
