// @ts-check
'use strict';

// The options of executors. An option is added here and nowhere else: `options.js` checks by this table, and
// `npm run generate` writes what follows from it: `ExecutorOptions` and `RunOptions` of index.d.ts, the table of the README,
// and the structs that Rust takes.

/**
 * @typedef {object} OptionRow
 * @property {string} name
 * @property {'number' | 'integer' | 'boolean' | 'string' | 'function' | 'oneOf' | 'strings' | 'modules'} type `number`: whatever number,
 * since the specification wants one that is out of range as a diagnostic of the run
 * @property {any} [fallback] absent: none
 * @property {string} [none] what the absence of a default means
 * @property {string} [shown] the default in tables, where it is not `fallback`
 * @property {number} [min]
 * @property {number} [max]
 * @property {'bytes'} [unit] for defaults that people read
 * @property {string[]} [values] of `oneOf` and `strings`; without them strings are any that are not empty
 * @property {string} [ts] type in TypeScript, where `type` does not say it
 * @property {boolean} [perRun] whether a run can have its own
 * @property {boolean} [forPreparing] whether VALIDATE and TRANSFORM depend on it
 * @property {string} brief a few words
 * @property {string} doc for index.d.ts; the range and the default follow by themselves
 * @property {RustField | null} rust the field of `Config`; null: JavaScript's own business
 *
 * @typedef {object} RustField
 * @property {string} type
 * @property {string} [field] its name, if not that of the option
 * @property {string} [passedAs] what JavaScript passes, if not the option itself: a field of that name and type
 * @property {string} [from] how it is made of `$`, what JavaScript passes
 * @property {string} [doc] if not that of the option
 */

const LANGUAGES = ['auto', 'javascript', 'typescript'];
const LEVELS = ['log', 'info', 'warn', 'error', 'debug'];

/** 256 MiB: what still fits into one string. */
const MAX_LOG_BYTES = 256 * (1 << 20);
/** 64 GiB. */
const MAX_MEMORY_MB = 65_536;
/** 1 GiB: positions in code and in values are 32-bit numbers. */
const MAX_BYTES = 1 << 30;
const MAX_COUNT = 2 ** 32 - 1;
/** The longest timer that a host can set. */
const MAX_MS = 2 ** 31 - 1;

/** @type {OptionRow[]} */
const OPTIONS = [
  {
    name: 'maxOperations',
    type: 'number',
    fallback: 50_000,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    perRun: true,
    forPreparing: true,
    brief: 'loop iterations per run',
    doc: `Loop iterations that one run may take, over all its loops and functions of earlier runs that it calls. Those of modules
while they are loaded are not among them, up to 10 million. A run with more is refused, at the latest when it leaves the loops that are under
way. Up to 2^31 - 1 they are counted fastest.

Any other *number* is accepted here and makes each run fail with \`ERR_VALIDATION_FAILED\`, diagnostic
\`max_operations_valid\` (section 6.2).`,
    rust: { type: 'f64', doc: 'Guarded loop iterations per run; may be invalid, which `prepare` then reports.' },
  },
  {
    name: 'timeoutMs',
    type: 'number',
    fallback: 10_000,
    min: 1,
    max: MAX_MS,
    perRun: true,
    forPreparing: true,
    brief: 'deadline of a run in milliseconds',
    doc: `Deadline of one run in milliseconds, from its start; time in the queue does not count.

Any other *number* is accepted here and makes each run fail with \`ERR_VALIDATION_FAILED\`, diagnostic \`timeout_valid\`
(section 6.2).`,
    rust: { type: 'f64', doc: 'Deadline of a run in milliseconds; may be invalid, which `prepare` then reports.' },
  },
  {
    name: 'toolTimeoutMs',
    type: 'integer',
    min: 1,
    max: MAX_MS,
    none: 'not limited',
    perRun: true,
    brief: 'time of a tool call in milliseconds; waiting for such calls does not count against `timeoutMs`',
    doc: `Milliseconds within which a tool has to answer a call. One that does not is an error in the guest: its \`name\` is
\`"TimeoutError"\`, its \`code\` \`"ERR_TOOL_TIMEOUT"\`, and the run goes on. {@link withTimeout} gives a tool a limit of its own.

Time in which guest code only waits for calls with a limit does not count against \`timeoutMs\`.`,
    rust: {
      type: 'Option<f64>',
      doc: 'Within which each tool call is answered, in milliseconds; absent: not limited.',
    },
  },
  {
    name: 'runConcurrency',
    type: 'oneOf',
    values: ['reject', 'queue'],
    fallback: 'reject',
    brief: 'what a second `run()` does while one is under way',
    doc: `What a \`run()\` does while another one is under way (section 2.3): \`"reject"\` fails with \`ERR_INVALID_STATE\`;
\`"queue"\` waits for its turn, first in, first out, if \`maxQueuedRuns\` lets it. \`sendVariables()\` and \`sendTools()\` do the
same.`,
    rust: {
      field: 'queue_runs',
      type: 'bool',
      from: '$ == "queue"',
      doc: '`runConcurrency: "queue"`; else a second run is refused.',
    },
  },
  {
    name: 'maxQueuedRuns',
    type: 'integer',
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    fallback: 0,
    brief: 'calls that may wait for their turn',
    doc: `Calls of \`run()\`, \`sendVariables()\` and \`sendTools()\` that may wait for their turn; one more fails with
\`ERR_INVALID_STATE\`. Only used with \`runConcurrency: "queue"\`.`,
    rust: { type: 'usize' },
  },
  {
    name: 'authorizedImports',
    type: 'strings',
    fallback: [],
    forPreparing: true,
    brief: 'what guest code may import',
    doc: 'Module names that guest code may `import()`, compared exactly (section 5.3). Non-empty strings.',
    rust: { type: 'Vec<String>' },
  },
  {
    name: 'maxLogBytes',
    type: 'integer',
    min: 1024,
    max: MAX_LOG_BYTES,
    fallback: 262_144,
    unit: 'bytes',
    forPreparing: true,
    brief: 'what one run may log',
    doc: `UTF-8 bytes of log text that one run may leave; what comes after is cut and marked with \`...[TRUNCATED]\`
(section 7.3).`,
    rust: { type: 'usize', doc: 'UTF-8 bytes of log text that one run may leave.' },
  },
  {
    name: 'collectConsoleLevels',
    type: 'strings',
    values: LEVELS,
    fallback: LEVELS,
    ts: 'readonly LogLevel[]',
    brief: 'what is logged',
    doc: 'Console levels that are collected; calls of the others are ignored.',
    rust: {
      field: 'levels',
      type: '[bool; LEVELS.len()]',
      from: 'LEVELS.map(|level| $.iter().any(|name| name == level))',
      doc: 'Console levels that are collected, by the index in [`LEVELS`].',
    },
  },
  {
    name: 'memoryLimitMb',
    type: 'integer',
    min: 8,
    max: MAX_MEMORY_MB,
    fallback: 128,
    brief: 'heap and array buffers, in MiB',
    doc: `Memory that guest code may use, in MiB, heap and array buffers together; beyond it a run fails with
\`ERR_MEMORY_LIMIT_EXCEEDED\`.`,
    rust: {
      field: 'memory_limit_bytes',
      type: 'usize',
      from: '($ * f64::from(1 << 20)) as usize',
      doc: 'One budget for heap and array buffers, in bytes.',
    },
  },
  {
    name: 'maxCodeBytes',
    type: 'integer',
    min: 1,
    max: MAX_BYTES,
    fallback: 1 << 20,
    unit: 'bytes',
    forPreparing: true,
    brief: 'code that one run may have',
    doc: 'UTF-8 bytes of code that one run may have; more is the diagnostic `code_too_large`.',
    rust: { type: 'usize', doc: 'UTF-8 bytes of code that one run may have.' },
  },
  {
    name: 'maxToolCalls',
    type: 'integer',
    min: 0,
    max: MAX_COUNT,
    fallback: 1_000,
    brief: 'tool calls of one run',
    doc: 'Tool calls that one run may make; one more ends it with `ERR_TOOL_CALL_LIMIT_EXCEEDED`.',
    rust: { type: 'u64', doc: 'Tool calls that one run may make.' },
  },
  {
    name: 'maxConcurrentToolCalls',
    type: 'integer',
    min: 1,
    max: MAX_COUNT,
    fallback: 64,
    brief: 'calls of a run that the host works on at the same time',
    doc: `Calls of a run that the host works on at the same time, of tools that are \`async\` or give promises; further ones wait
their turn. That a function which is not \`async\` gives promises shows at its first call, which does not wait. What earlier
runs have dropped does not count.`,
    rust: { type: 'usize' },
  },
  {
    name: 'maxTransferBytes',
    type: 'integer',
    min: 1024,
    max: MAX_BYTES,
    fallback: 64 * (1 << 20),
    unit: 'bytes',
    brief: 'one value on its way between host and guest',
    doc: `Bytes that one value may take on its way between host and guest, and that the arguments of all unanswered tool
calls may take together. What guests give may take four times that as memory of Node.js, and 1 MiB in any case.

An output or variables beyond it fail with \`ERR_TRANSFER_LIMIT_EXCEEDED\`; a tool call whose arguments or result are beyond
it fails in the guest, with an error that has this code.`,
    rust: {
      type: 'usize',
      doc: 'Bytes of wire that one value may take, and that the arguments of all unanswered calls may take together.',
    },
  },
  {
    name: 'hardenToolResults',
    type: 'boolean',
    fallback: false,
    brief: 'whether guest code gets results of tools frozen, as variables are',
    doc: `Whether what tools give is hardened for guest code, as variables are. Else it is the guest's own copy, to change as it
likes; what modules export is hardened in any case.`,
    rust: { type: 'bool', doc: 'Results of tools are hardened, as variables are.' },
  },
  {
    name: 'keepState',
    type: 'boolean',
    fallback: false,
    brief: 'whether a run that is ended at its deadline, or by its `signal`, leaves the variables',
    doc: `Whether a run that is ended early leaves what earlier runs, and it itself, have defined: at its deadline, when it has used
up \`maxCpuMs\`, or when its \`signal\` is aborted. It fails with \`ERR_EXEC_TIMEOUT\` all the same, and \`details.stateLost\` says
what has become of that: \`false\`, and the executor is \`READY\`; or, if the code did not end within 40 ms, or 2 s of an
abort, \`true\`, and it is \`DIRTY\`. Threads keep it everywhere, worker processes on Linux only.`,
    rust: { type: 'bool', doc: 'A run that is ended early is asked to end first, so that the isolate can go on.' },
  },
  {
    name: 'maxCpuMs',
    type: 'integer',
    min: 1,
    max: MAX_MS,
    none: 'not limited',
    brief: 'processor time of a run in milliseconds; Linux only',
    doc: `Processor time of one run in milliseconds, on the isolate's own thread: waiting for tools does not count. Beyond
it the run fails with \`ERR_EXEC_TIMEOUT\`, \`details.reason\` is \`"cpu"\`. Linux only.`,
    rust: {
      type: 'Option<f64>',
      doc: "Processor time of a run on the isolate's thread, in milliseconds; absent: not limited.",
    },
  },
  {
    name: 'owner',
    type: 'string',
    fallback: '',
    brief: 'whose executor this is, for `maxParkedMb`',
    doc: `Whose executor this is, for {@link ExecutorOptions.maxParkedMb}: a name for the tenant, for example.`,
    rust: { type: 'String', doc: 'Whose executor this is.' },
  },
  {
    name: 'maxParkedMb',
    type: 'integer',
    min: 1,
    max: MAX_MEMORY_MB,
    fallback: 2_048,
    brief: 'memory of isolates that are not given back, in MiB, from which on `init()` is refused',
    doc: `\`init()\` fails with \`ERR_SES_INIT_FAILED\` while executors of the same {@link ExecutorOptions.owner} have left
isolates that hold as much memory, in MiB: parked ones and those that do not end ({@link EngineStats.parked},
{@link EngineStats.stuck}): as measured and 2 MiB for each that is parked, its limit for each that does not end. What executors of other owners have left does not count.`,
    rust: {
      field: 'max_parked_bytes',
      type: 'usize',
      from: '($ * f64::from(1 << 20)) as usize',
      doc: 'Memory of isolates that are parked or do not end, of this owner, from which on no further isolate is made, in bytes.',
    },
  },
  {
    name: 'warmPool',
    type: 'integer',
    min: 0,
    max: 64,
    none: '1',
    shown: '1',
    brief: 'isolates that are kept ready for `init()`; 0: none',
    doc: `Isolates that are kept ready, so that \`init()\` need not make one; it is replaced in the background. They are shared by
the executors of the process, worker threads included, that ask for as many, and end with the last of these, but for the
default. Each isolate serves one executor, one with the \`memoryLimitMb\` that the isolate was made for. Of executors that do
not share them, as Python's with a \`workDir\` each, those that were made or started last keep some, for four at most. They do not
keep the process alive. 0: none.`,
    rust: { type: 'Option<usize>', doc: 'Isolates that are kept ready; absent: those of the default engine.' },
  },
  {
    name: 'isolation',
    type: 'oneOf',
    values: ['thread', 'process'],
    fallback: 'thread',
    brief: 'where the isolate lives: a thread of this process, or a process of its own',
    doc: `Where the isolate lives: on a thread of this process, or in a worker process of its own, which is killed when it is given
up and has a sandbox of the operating system (\`sandbox\`). Everything else is the same; \`ERR_WORKER_LOST\` is new. Not on
Windows.`,
    rust: null,
  },
  {
    name: 'sandbox',
    type: 'oneOf',
    values: ['required', 'best-effort', 'off'],
    fallback: 'best-effort',
    brief: 'whether a worker process must have the sandbox of the operating system',
    doc: `With \`isolation: "process"\`: whether the worker must have the sandbox of the operating system, which is landlock and seccomp
of Linux. \`"required"\`: \`init()\` fails where there is none; \`"best-effort"\`: as much as there is, which
\`executor.isolation\` tells; \`"off"\`: none.`,
    rust: null,
  },
  {
    name: 'spares',
    type: 'integer',
    min: 0,
    max: 16,
    none: '1, which all executors share that give none',
    shown: '1',
    brief: 'worker processes that are kept ready for `init()`; 0: none',
    doc: `With \`isolation: "process"\`: worker processes that are kept ready, so that \`init()\` need not start one; each is replaced
in the background. Executors that give a number have their own; for how many that is, \`warmPool\` says.`,
    rust: null,
  },
  {
    name: 'autoInit',
    type: 'boolean',
    fallback: false,
    brief: 'initialise on first use',
    doc: `Whether \`sendVariables\`, \`sendTools\` and \`run\` call \`init()\` themselves when the state is \`NEW\` or \`DEAD\`. Else
they fail with \`ERR_INVALID_STATE\`.`,
    rust: null,
  },
  {
    name: 'recover',
    type: 'boolean',
    fallback: false,
    brief: 'whether `autoInit` also makes a new isolate when the state is `DIRTY`',
    doc: `Whether \`autoInit\` also serves when the state is \`DIRTY\`: the next \`sendVariables\`, \`sendTools\` or \`run\` makes a new
isolate, which gets the tools that were sent. Variables, and what runs have defined, are gone: the outcome of the first run says
so ({@link CodeOutput.recovered}, \`details.recovered\` of an error). Only used with \`autoInit\`.`,
    rust: null,
  },
  {
    name: 'language',
    type: 'oneOf',
    values: LANGUAGES,
    fallback: 'auto',
    ts: 'Language',
    perRun: true,
    forPreparing: true,
    brief: 'JavaScript, TypeScript, or whichever parses; also per run',
    doc: `Language of guest code and of the texts in {@link ExecutorOptions.modules}. Positions in errors are those of the
source. Enums and namespaces are there in later runs, as other declarations are.`,
    rust: {
      type: 'Language',
      from: 'language(&$)',
      doc: 'Of guest code, unless a run says otherwise, and of the texts in `modules`.',
    },
  },
  {
    name: 'modules',
    type: 'modules',
    fallback: {},
    ts: 'Modules',
    none: 'none: a module that is authorized but not provided is empty, and a `warn` log line says so',
    brief: 'where imports come from',
    doc: `Modules that guest code can import if \`authorizedImports\` has their names. A text may have 8 MiB; reports/libraries.md says
which libraries of npm work as such.

The constructor clones exported values, and throws a \`TypeError\` that names the path of one that cannot be cloned.`,
    rust: { type: 'Vec<ModuleSpec>', from: '$.into_iter().map(Into::into).collect()' },
  },
  {
    name: 'onToolCall',
    type: 'function',
    ts: 'OnToolCall',
    none: 'none: each call is made',
    brief: 'asked before each tool call: allows, refuses or replaces it',
    doc: `Called before each call of a tool, and of a function of a module. Returns nothing, and the call is made; throws, and the
call fails in the guest with that error; returns \`{ args }\`, and the tool gets these; returns \`{ result }\`, and the guest gets
that without a call. A promise of any of these makes the guest wait, also for a tool that is not \`async\`, as a part of the call:
that counts against \`timeoutMs\`, unless {@link ExecutorOptions.toolTimeoutMs} limits calls. If the run ends meanwhile, the call is not made.
Whatever else it returns refuses the call.`,
    rust: null,
  },
  {
    name: 'onLog',
    type: 'function',
    ts: '(entry: LogEntry) => void',
    none: 'none',
    brief: 'who hears log entries at once',
    doc: `Called with each log entry while the run goes on. What it throws is reported once, as a warning of the process, and
changes nothing else.`,
    rust: {
      passedAs: 'stream_logs',
      field: 'stream_logs',
      type: 'bool',
      doc: 'Whether log entries are reported while the run goes on.',
    },
  },
];

/**
 * @param {string} name
 * @returns {OptionRow}
 */
function optionRow(name) {
  const row = OPTIONS.find((option) => option.name === name);
  if (row === undefined) throw new Error(`there is no option ${name}`);
  return row;
}

module.exports = { LEVELS, OPTIONS, optionRow };
