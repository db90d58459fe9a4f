import { optionRow } from '../../contract/option-table';
import { closest } from '../../contract/options';

/** The default folder for Python packages. */
export const DEFAULT_FOLDER = 'python_packages';

/** Width of the column of options, and of the column of commands. */
const OPTION_WIDTH = 24;
const COMMAND_WIDTH = 40;

/** How each command is called, and what it does. */
const COMMANDS: [name: string, call: string, text: string][] = [
  ['run', 'run <file | -> [options]', 'run code; its logs go to stderr, its output to stdout'],
  ['check', 'check <file | -> [options]', 'check code without running it'],
  [
    'check',
    'check --module <name>',
    'check whether a library (a package or a file) loads as a module of code,\nand list the globals it uses that code does not have; npm install esbuild',
  ],
  ['repl', 'repl [options]', 'start an interactive session'],
  ['mcp', 'mcp [options]', 'serve the Model Context Protocol over stdin and stdout, or with --http'],
  ['mcp', 'mcp login <name=address>', 'log in to another server, for --server name=address'],
  ['mcp', 'mcp logout <name>', 'remove that login'],
  [
    'python',
    'python add <package...> [options]',
    "\nadd packages for Python to a folder: wheels, packages of Pyodide's release, or what pip\nfinds (npm install pyodide)",
  ],
  ['sessions', 'sessions list [options]', 'list the durable sessions of --store'],
  ['sessions', 'sessions show <id> [options]', '\nprint the journal of a session'],
  [
    'sessions',
    'sessions answer <id> <key> [options]',
    '\nanswer a waiting tool call, and continue the program: --result, --error,\n--approve or --approve-plan',
  ],
  [
    'sessions',
    'sessions fork <id> <new id> [options]',
    '\nmake a new session with the journal of another one, up to --run',
  ],
  ['sessions', 'sessions remove <id> [options]', '\nremove a session'],
  [
    'worker',
    'worker [options]',
    'serve sessions of a fleet: isolation "remote" of other programs, over NATS;\nSIGTERM drains it',
  ],
  ['fleet', 'fleet status [options]', 'list the workers of a pool, with their sessions and load'],
  ['replay', 'replay <journal> [options]', 'run the journal of a session again, and report the first difference'],
];

interface OptionUsage {
  /** The form of its value. Absent for an option without a value. */
  value?: string;
  short?: string;
  multiple?: true;
  /** The description. Line breaks are kept. */
  text: string;
  /** Whether the general help omits the commands that take it. */
  isGeneral?: true;
}

/** The options of all commands, in the order of the help. */
const USAGE: Record<string, OptionUsage> = {
  vars: { value: '<vars.json>', text: 'JSON object with variables for the code' },
  tools: {
    value: '<tools.mjs>',
    text: 'tools for the code: the exports of the module, or its default export',
  },
  timeout: {
    value: '<ms>',
    text: `deadline of a run in milliseconds (default ${optionRow('timeoutMs').fallback}; with --openapi 30000)`,
  },
  'tool-timeout': {
    value: '<ms>',
    text: 'time limit of a tool call; waiting for tools then does not count against --timeout (default: none)',
  },
  'max-operations': {
    value: '<n>',
    text: 'loop iterations, or lines of Python, that a run may execute (default: no limit)',
  },
  'allow-import': {
    value: '<name[=module.mjs]>',
    multiple: true,
    text: '\na module that the code may import, and its text; can be repeated',
  },
  globals: {
    value: '<list>',
    multiple: true,
    text: `further globals of the code: ${optionRow('globals').values?.join(', ')}`,
  },
  'allow-host': {
    value: '<host>',
    multiple: true,
    text: 'a host that code may request: in JavaScript with --globals fetch, or in Python; can be repeated',
  },
  typecheck: {
    value: `<${optionRow('typecheck').values?.join('|')}>`,
    text: '\nwhether the types of JavaScript and TypeScript are checked before code runs (default: off);\nnpm install typescript',
  },
  json: { text: 'print one JSON object to stdout instead of text' },
  module: { text: 'the file is a library: check whether it loads as a module of code' },
  root: { value: '<folder>', text: 'the code may read and change files in this folder' },
  'read-only': { text: 'the code may only read these files' },
  server: {
    value: '<name=command>',
    multiple: true,
    text: `\nthe code may call the tools of this other MCP server as name.tool(); can be repeated. A command
starts it, or name=https://... is its address; a token for it can be in SES_EXECUTOR_TOKEN_<NAME>`,
  },
  python: {
    text: 'the code is Python (repl), the server has run_python as well (mcp); npm install pyodide',
    isGeneral: true,
  },
  packages: { value: '<folder>', text: 'packages that Python may import: those of `python add`' },
  to: { value: '<folder>', text: `where packages are added (default ${DEFAULT_FOLDER})` },
  from: {
    value: '<folder or address>',
    text: "\nwhere the files of Pyodide's release are (default: its own address)",
  },
  list: { text: 'print the packages of that release' },
  requirement: {
    value: '<file>',
    short: 'r',
    multiple: true,
    text: 'a requirements file for pip, with versions and hashes; can be repeated',
  },
  'keep-state': {
    text: 'variables survive a call that is cancelled or ends at its deadline (default)',
  },
  'no-keep-state': { text: 'variables do not survive such a call' },
  openapi: { value: '<file>', text: 'the code may call the API of this OpenAPI document, JSON or YAML' },
  'base-url': { value: '<url>', text: "the address of that API (default: the document's first server)" },
  header: { value: '<name: value>', multiple: true, text: 'a header for each request to that API; can be repeated' },
  credential: {
    value: '<scheme=value>',
    multiple: true,
    text: `\nfor a security scheme of the document; can be repeated. In --base-url, --header and --credential,
\${NAME} is the environment variable NAME: other users of the machine can read arguments`,
  },
  http: {
    value: '<host:port>',
    text: `\nserve clients at this address, each in a separate session. Clients send the token that is in the
environment variable SES_EXECUTOR_MCP_TOKEN`,
  },
  'allow-origin': {
    value: '<origin>',
    multiple: true,
    text: '\npages of this origin may send requests; can be repeated (default: none)',
  },
  'max-sessions': { value: '<n>', text: 'maximum number of sessions at the same time (default 16)' },
  memory: {
    value: '<MiB>',
    text: `memory that the code may use (default ${optionRow('memoryLimitMb').fallback}; with --openapi 64); of a worker: the maximum for\na session (default 1024)`,
  },
  store: {
    value: '<folder, .db or address>',
    text: '\nthe durable sessions: a folder, a SQLite file, or a broker such as nats://host:4222',
  },
  result: { value: '<json>', text: 'the result of the call' },
  error: { value: '<text>', text: 'the call fails with this message' },
  approve: { text: 'make the call' },
  'approve-plan': { text: 'make the call, and all further calls in its plan' },
  run: { value: '<n>', text: 'how many runs the new session has (default: all)' },
  servers: {
    value: '<addresses>',
    text: '\nNATS brokers of a fleet, separated by commas; run, repl and mcp then run code on its workers\n(default: the environment variable SES_EXECUTOR_SERVERS)',
  },
  pool: { value: '<name>', text: 'the pool of workers (default: SES_EXECUTOR_POOL, or default)' },
  credentials: {
    value: '<file>',
    text: '\nthe file with the credentials for the brokers\n(default: SES_EXECUTOR_CREDENTIALS, or none)',
  },
  capacity: { value: '<n>', text: 'sessions at the same time (default 32)' },
  sandbox: { value: '<mode>', text: 'the minimum for each session: required (default), best-effort or off' },
  spares: { value: '<n>', text: 'processes that are kept ready (default 1)' },
  grace: { value: '<ms>', text: 'how long a drained worker waits for runs, in milliseconds (default 30000)' },
  listen: { value: '<[host:]port>', text: 'serve /metrics, /healthz and /readyz there (default: nowhere)' },
  name: { value: '<name>', text: 'name of the worker (default: one that no other worker has)' },
  watch: { text: 'print the list again every second' },
  help: { short: 'h', text: 'print this help; after a command, only the help of that command', isGeneral: true },
  version: { short: 'v', text: 'print the version', isGeneral: true },
};

/** Options by name, in the format of `parseArgs`. */
export const OPTIONS = Object.fromEntries(
  Object.entries(USAGE).map(([name, { value, short, multiple = false }]) => [
    name,
    { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }), multiple },
  ]),
);

const LANGUAGE = `The code is JavaScript or TypeScript. Files that end in .ts, .mts or .cts are TypeScript, and files that end in .py are
Python (run; npm install pyodide).
`;
const KEY = 'sessions and replay need the journal key in the environment variable SES_EXECUTOR_JOURNAL_KEY.\n';
const STATUS =
  'Exit status: 0 for success, 1 for an error in the code, 2 for wrong usage, 13 for a module of --tools that never finishes loading.\n';

/** @param takes the options of each command */
export function generalHelp(takes: Record<string, string[]>) {
  const options = Object.entries(USAGE).map(([name, usage]) => {
    const commands = Object.keys(takes).filter((command) => takes[command].includes(name));
    const suffix = usage.isGeneral || commands.length === 0 ? '' : ` (${commands.join(', ')})`;
    return optionText(name, usage, suffix);
  });
  return `Usage:\n${commandsText()}\n${LANGUAGE}\nOptions:\n${options.join('')}\n${KEY}${STATUS}`;
}

/** @param takes the options of the command */
export function commandHelp(command: string, takes: string[]) {
  const names = Object.keys(USAGE).filter((name) => takes.includes(name) || name === 'help');
  const options = names.map((name) =>
    optionText(name, { ...USAGE[name], ...(name === 'help' && { text: 'print this help' }) }),
  );
  const key = ['sessions', 'replay'].includes(command) ? KEY : '';
  return `Usage:\n${commandsText(command)}\nOptions:\n${options.join('')}\n${key}${STATUS}`;
}

/**
 * The message for an option that does not exist.
 *
 * @param takes the options of the command, or of all commands
 */
export function unknownOption(option: string, takes: string[]) {
  const [name] = option.replace(/^-+/, '').split('=');
  const near = closest(name, [...takes, 'help']);
  return `there is no option ${option}${near === undefined ? '' : `; did you mean --${near}?`}`;
}

function commandsText(only?: string) {
  return COMMANDS.filter(([name]) => only === undefined || name === only)
    .map(([, call, text]) => row(`  ses-executor ${call}`, text, COMMAND_WIDTH + 3))
    .join('');
}

function optionText(name: string, { value, short, text }: OptionUsage, suffix: string = '') {
  const long = value === undefined ? `--${name}` : `--${name} ${value}`;
  return row(`  ${short === undefined ? '' : `-${short}, `}${long}`, `${text}${suffix}`, OPTION_WIDTH + 2);
}

/** A row of two columns. The second column begins on the next line if its text begins with a line break. */
function row(left: string, text: string, width: number) {
  const [first, ...rest] = text.split('\n');
  const lines = [
    first === '' ? left : `${left.padEnd(width - 2)}  ${first}`,
    ...rest.map((it) => ' '.repeat(width) + it),
  ];
  return `${lines.join('\n')}\n`;
}
