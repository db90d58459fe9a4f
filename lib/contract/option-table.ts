// The options of executors. An option is added here and nowhere else. `options.ts` checks options with this table, and
// `npm run generate` writes `executor-options.ts`, docs/reference/options.md and the structs of Rust from it.

export interface OptionRow {
  name: string;
  /** `number`: any number, because the specification reports a number out of range as a diagnostic of the run */
  type:
    'number' | 'integer' | 'boolean' | 'string' | 'function' | 'oneOf' | 'strings' | 'modules' | 'network' | 'remote';
  /** absent: no default */
  fallback?: unknown;
  /** what a missing default means */
  none?: string;
  /** the default as tables show it, if not `fallback` */
  shown?: string;
  min?: number;
  max?: number;
  /** whether `Infinity` is accepted, too: no limit */
  mayBeInfinite?: boolean;
  /** for defaults in readable units */
  unit?: 'bytes';
  /** for `oneOf` and `strings`; without it, all strings except the empty one */
  values?: string[];
  /** type in TypeScript, if `type` does not determine it */
  ts?: string;
  /** whether a run can set it, too */
  perRun?: boolean;
  /** whether VALIDATE and TRANSFORM depend on it */
  forPreparing?: boolean;
  /** a few words */
  brief: string;
  /** for `executor-options.ts`; the range and the default are appended automatically */
  doc: string;
  /** the field of `Config`; null if only JavaScript uses it */
  rust: RustField | null;
}

export interface RustField {
  type: string;
  /** name of the field, if it differs from the option's */
  field?: string;
  /** what JavaScript passes instead of the option: a field of this name and type */
  passedAs?: string;
  /** the type that napi reads, if it differs from the field's */
  native?: string;
  /** how the value is computed from `$`, the value that JavaScript passes */
  from?: string;
  /** doc of the field, if it differs from the option's */
  doc?: string;
}

const LANGUAGES = ['auto', 'javascript', 'typescript'];
const GUEST_GLOBALS = ['timers', 'crypto', 'performance', 'abort', 'fetch'];
export const LEVELS = ['log', 'info', 'warn', 'error', 'debug'];

/** 256 MiB, which still fits into one string. */
const MAX_LOG_BYTES = 256 * (1 << 20);
/** 64 GiB. */
const MAX_MEMORY_MB = 65_536;
/** 1 GiB: positions in code and in values are 32-bit numbers. */
const MAX_BYTES = 1 << 30;
const MAX_COUNT = 2 ** 32 - 1;
/** The longest timer of Node.js. */
const MAX_MS = 2 ** 31 - 1;

export const OPTIONS: OptionRow[] = [
  {
    name: 'maxOperations',
    type: 'number',
    fallback: 50_000,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    perRun: true,
    forPreparing: true,
    brief: 'loop iterations per run',
    doc: `Maximum number of loop iterations in one run. All loops count together, including loops in functions that earlier
runs defined. Loops that run while modules load have a separate limit of 10 million iterations. A run that exceeds
the limit fails when it leaves its current loops, at the latest. Counting is fastest with limits up to 2^31 - 1.

\`Infinity\` means no limit, also while modules load. The loops of such a program are not counted, not even when a later
run calls its functions. Time remains limited.

Any other *number* is accepted here, but each run then fails with \`ERR_VALIDATION_FAILED\` and the diagnostic
\`max_operations_valid\` (section 6.2).`,
    rust: { type: 'f64', doc: 'Guarded loop iterations per run. May be invalid: `prepare` reports that.' },
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
    doc: `Deadline of one run in milliseconds, measured from its start. Time in the queue does not count.

Any other *number* is accepted here, but each run then fails with \`ERR_VALIDATION_FAILED\` and the diagnostic
\`timeout_valid\` (section 6.2).`,
    rust: { type: 'f64', doc: 'Deadline of a run in milliseconds. May be invalid: `prepare` reports that.' },
  },
  {
    name: 'toolTimeoutMs',
    type: 'integer',
    min: 1,
    max: MAX_MS,
    none: 'no limit',
    perRun: true,
    brief:
      'deadline of a tool call in milliseconds; time spent waiting for such calls does not count against `timeoutMs`',
    doc: `Deadline of a tool call in milliseconds. A call that misses it fails in the guest with an error whose \`name\` is
\`"TimeoutError"\` and whose \`code\` is \`"ERR_TOOL_TIMEOUT"\`. The run continues. {@link withTimeout} sets a different limit
for one tool.

Time in which guest code only waits for calls with a limit does not count against \`timeoutMs\`.`,
    rust: null,
  },
  {
    name: 'runConcurrency',
    type: 'oneOf',
    values: ['reject', 'queue'],
    fallback: 'reject',
    brief: 'what a second `run()` does while another one is in progress',
    doc: `What a \`run()\` does while another one is in progress (section 2.3). \`"reject"\`: it fails with
\`ERR_INVALID_STATE\`. \`"queue"\`: it waits in a queue, first in, first out, if \`maxQueuedRuns\` allows it.
\`sendVariables()\` and \`sendTools()\` behave in the same way.`,
    rust: {
      field: 'queue_runs',
      type: 'bool',
      from: '$ == "queue"',
      doc: 'Whether `runConcurrency` is `"queue"`. Otherwise a second run is refused.',
    },
  },
  {
    name: 'maxQueuedRuns',
    type: 'integer',
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    fallback: 0,
    brief: 'how many calls may wait in the queue',
    doc: `How many calls of \`run()\`, \`sendVariables()\` and \`sendTools()\` may wait in the queue. Another call fails with
\`ERR_INVALID_STATE\`. Only used with \`runConcurrency: "queue"\`.`,
    rust: { type: 'usize' },
  },
  {
    name: 'authorizedImports',
    type: 'strings',
    fallback: [],
    forPreparing: true,
    brief: 'modules that guest code may import',
    doc: `Names of the modules that guest code may \`import()\`. Names are compared exactly (section 5.3). Empty strings are
not allowed.`,
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
    brief: 'size of the log of one run',
    doc: `Maximum size of the log of one run, in UTF-8 bytes. Text beyond it is cut and marked with \`...[TRUNCATED]\`
(section 7.3).`,
    rust: { type: 'usize', doc: 'Maximum number of UTF-8 bytes in the log of one run.' },
  },
  {
    name: 'collectConsoleLevels',
    type: 'strings',
    values: LEVELS,
    fallback: LEVELS,
    ts: 'readonly LogLevel[]',
    brief: 'console levels that are logged',
    doc: `Console levels that are collected. Calls of other levels are ignored.`,
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
    brief: 'memory of guest code (heap and array buffers), in MiB',
    doc: `Memory that guest code may use, in MiB. The heap and array buffers count together. A run that exceeds the limit
fails with \`ERR_MEMORY_LIMIT_EXCEEDED\`.`,
    rust: {
      field: 'memory_limit_bytes',
      type: 'usize',
      from: '($ * f64::from(1 << 20)) as usize',
      doc: 'Limit for heap and array buffers together, in bytes.',
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
    brief: 'size of the code of one run',
    doc: `Maximum size of the code of one run, in UTF-8 bytes. Larger code fails with the diagnostic \`code_too_large\`.`,
    rust: { type: 'usize', doc: 'Maximum number of UTF-8 bytes in the code of one run.' },
  },
  {
    name: 'maxToolCalls',
    type: 'integer',
    min: 0,
    max: MAX_COUNT,
    fallback: 1_000,
    brief: 'number of tool calls in one run',
    doc: `Maximum number of tool calls in one run. Another call ends the run with \`ERR_TOOL_CALL_LIMIT_EXCEEDED\`.`,
    rust: { type: 'u64', doc: 'Maximum number of tool calls in one run.' },
  },
  {
    name: 'maxConcurrentToolCalls',
    type: 'integer',
    min: 1,
    max: MAX_COUNT,
    fallback: 64,
    brief: 'tool calls of a run that the host handles at the same time',
    doc: `How many tool calls of a run the host handles at the same time, for tools that are \`async\` or return promises.
Further calls wait. The first call shows whether a function that is not \`async\` returns promises, so this call does
not wait. Calls that earlier runs have abandoned do not count.`,
    rust: { type: 'usize' },
  },
  {
    name: 'maxTransferBytes',
    type: 'integer',
    min: 1024,
    max: MAX_BYTES,
    fallback: 64 * (1 << 20),
    unit: 'bytes',
    brief: 'size of one value sent between host and guest',
    doc: `Maximum size of one value that is sent between host and guest, in serialized bytes. The arguments of all
unanswered tool calls together have the same limit. A value that a guest sends may take four times the limit in the
memory of Node.js, or 1 MiB if that is more.

An output or variables beyond the limit fail with \`ERR_TRANSFER_LIMIT_EXCEEDED\`. A tool call whose arguments or result
are beyond it fails in the guest with an error that has this code.`,
    rust: {
      type: 'usize',
      doc: 'Maximum serialized size of one value in bytes, and of the arguments of all unanswered calls together.',
    },
  },
  {
    name: 'hardenToolResults',
    type: 'boolean',
    fallback: false,
    brief: 'whether tool results are frozen in the guest, as variables are',
    doc: `Whether the results of tools are hardened in the guest, as variables are. By default, a result is the guest's own
copy and can be changed. Exports of modules are always hardened.`,
    rust: { type: 'bool', doc: 'Whether results of tools are hardened, as variables are.' },
  },
  {
    name: 'keepState',
    type: 'boolean',
    fallback: false,
    brief: 'whether variables survive a run that is ended at its deadline or by its `signal`',
    doc: `Whether a run that is ended early keeps the definitions of earlier runs and its own. A run is ended early at its
deadline, when it has used up \`maxCpuMs\`, or when its \`signal\` is aborted. It still fails with \`ERR_EXEC_TIMEOUT\`, and
\`details.stateLost\` says what happened to the definitions. If it is \`false\`, they are kept and the executor is \`READY\`. If
it is \`true\`, the code did not stop within 40 ms (2 s after an abort), and the executor is \`DIRTY\`. Works on threads on every
platform, and in worker processes on Linux only.`,
    rust: {
      type: 'bool',
      doc: 'Whether a run that must end early is first asked to end by itself, so that the isolate can go on.',
    },
  },
  {
    name: 'maxCpuMs',
    type: 'integer',
    min: 1,
    max: MAX_MS,
    none: 'no limit',
    brief: 'processor time of a run in milliseconds; Linux only',
    doc: `Processor time of one run in milliseconds, measured on the isolate's thread. Waiting for tools does not count. A
run that exceeds it fails with \`ERR_EXEC_TIMEOUT\`, and \`details.reason\` is \`"cpu"\`. Linux only.`,
    rust: {
      type: 'Option<f64>',
      doc: "Limit of a run's processor time on the isolate's thread, in milliseconds. Absent: no limit.",
    },
  },
  {
    name: 'owner',
    type: 'string',
    fallback: '',
    brief: 'name of the tenant that `maxParkedMb` counts for',
    doc: `Name of the tenant that this executor belongs to. {@link ExecutorOptions.maxParkedMb} counts memory for each
owner separately.`,
    rust: { type: 'String', doc: 'Name of the tenant that the executor belongs to.' },
  },
  {
    name: 'maxParkedMb',
    type: 'integer',
    min: 1,
    max: MAX_MEMORY_MB,
    fallback: 2_048,
    brief: 'memory in MiB that abandoned isolates of an owner may hold before `init()` is refused',
    doc: `Memory in MiB that abandoned isolates of the same {@link ExecutorOptions.owner} may hold. At this limit \`init()\`
fails with \`ERR_SES_INIT_FAILED\`. Two kinds of isolates count: parked ones ({@link EngineStats.parked}) with their
measured memory plus 2 MiB each, and isolates that do not end ({@link EngineStats.stuck}) with their memory limit.
Isolates of other owners do not count.`,
    rust: {
      field: 'max_parked_bytes',
      type: 'usize',
      from: '($ * f64::from(1 << 20)) as usize',
      doc: 'If isolates of this owner that are parked or do not end hold this many bytes, no further isolate is made.',
    },
  },
  {
    name: 'warmPool',
    type: 'integer',
    min: 0,
    max: 64,
    none: '1',
    shown: '1',
    brief: 'isolates that are kept ready for `init()`; 0 turns the pool off',
    doc: `How many isolates are kept ready, so that \`init()\` does not have to create one. A used isolate is replaced in the
background. All executors of the process with the same number share a pool, worker threads included. A pool ends with
its last executor, except the default pool. An isolate serves one executor only, and only one with the same
\`memoryLimitMb\`. At most four groups of executors that cannot share isolates (such as Python executors with different
values of \`workDir\`) have a pool at the same time: those that were used last. The pool does not keep the process
alive. 0 turns it off.`,
    rust: {
      type: 'Option<usize>',
      doc: 'Number of isolates that are kept ready. Absent: the number of the default engine.',
    },
  },
  {
    name: 'isolation',
    type: 'oneOf',
    values: ['thread', 'process', 'remote'],
    fallback: 'thread',
    brief: 'where the isolate runs: on a thread of this process, in a worker process, or on a worker of a fleet',
    doc: `Where the isolate runs. \`"thread"\`: on a thread of this process. \`"process"\`: in a separate worker process, which
has a sandbox of the operating system (\`sandbox\`) and is killed when it is given up. \`"remote"\`: in such a process on a
worker of a fleet (\`remote\`). Everything else is the same, except for the error codes \`ERR_WORKER_LOST\` and, with
\`"remote"\`, \`ERR_NO_WORKER\`. On Windows, worker processes are not available, but fleets are.`,
    rust: null,
  },
  {
    name: 'remote',
    type: 'remote',
    ts: 'RemoteOptions',
    none: 'none; `isolation: "remote"` requires it',
    shown: 'none',
    brief: 'the fleet of `isolation: "remote"`: brokers, pool and credentials',
    doc: `The fleet whose workers run the isolates. Only used with \`isolation: "remote"\`, which requires it. Executors with the
same values share a connection.`,
    rust: null,
  },
  {
    name: 'sandbox',
    type: 'oneOf',
    values: ['required', 'best-effort', 'off'],
    fallback: 'best-effort',
    brief: 'whether a worker process must have a sandbox of the operating system',
    doc: `Whether a worker process must have a sandbox of the operating system: landlock and seccomp on Linux. Only used
with \`isolation: "process"\`. \`"required"\`: \`init()\` fails if there is no sandbox. \`"best-effort"\`: the worker uses
what is available, and \`executor.isolation\` says what that is. \`"off"\`: no sandbox.`,
    rust: null,
  },
  {
    name: 'spares',
    type: 'integer',
    min: 0,
    max: 16,
    none: '1, shared by all executors that do not set a number',
    shown: '1',
    brief: 'worker processes that are kept ready for `init()`; 0 turns them off',
    doc: `How many worker processes are kept ready, so that \`init()\` does not have to start one. A used process is replaced
in the background. Only used with \`isolation: "process"\`. Executors with the same number share their processes in the
way that \`warmPool\` describes.`,
    rust: null,
  },
  {
    name: 'autoInit',
    type: 'boolean',
    fallback: false,
    brief: 'whether the first use calls `init()`',
    doc: `Whether \`sendVariables\`, \`sendTools\` and \`run\` call \`init()\` themselves in the states \`NEW\` and \`DEAD\`. Otherwise
they fail with \`ERR_INVALID_STATE\`.`,
    rust: null,
  },
  {
    name: 'recover',
    type: 'boolean',
    fallback: false,
    brief: 'whether `autoInit` also replaces the isolate in the state `DIRTY`',
    doc: `Whether \`autoInit\` also applies in the state \`DIRTY\`. The next \`sendVariables\`, \`sendTools\` or \`run\` then creates
a new isolate and sends the tools to it again. Variables and definitions of earlier runs are lost. The outcome of the
first run says so ({@link CodeOutput.recovered}, or \`details.recovered\` of an error). Only used with \`autoInit\`.`,
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
    brief: 'JavaScript, TypeScript, or automatic; also per run',
    doc: `Language of guest code and of the source texts in {@link ExecutorOptions.modules}. \`"auto"\` reads code as
JavaScript, and as TypeScript if that fails. Positions in errors refer to the original source. Enums and namespaces
persist in later runs, like other declarations.`,
    rust: {
      type: 'Language',
      from: 'language(&$)',
      doc: 'Language of guest code, unless a run sets another one, and of the sources in `modules`.',
    },
  },
  {
    name: 'modules',
    type: 'modules',
    fallback: {},
    ts: 'Modules',
    none: 'none; an authorized module without an entry here is empty, and a `warn` log line says so',
    brief: 'the modules that guest code can import',
    doc: `Modules that guest code can import if \`authorizedImports\` contains their names. A source text may have up to 8
MiB. reports/libraries.md in the repository lists npm libraries that work.

The constructor clones exported values. It throws a \`TypeError\` with the path of a value that cannot be cloned.`,
    rust: { type: 'Vec<ModuleSpec>', from: '$.into_iter().map(Into::into).collect()' },
  },
  {
    name: 'typecheck',
    type: 'oneOf',
    values: ['error', 'warn', 'off'],
    fallback: 'off',
    perRun: true,
    brief: 'whether the types of code are checked before it runs',
    doc: `Whether the types of code are checked before it runs, against its tools, variables, modules and the declarations of
earlier runs. A mistake counts only if it would make the code fail or pass wrong data to a tool. \`"error"\`: code
with such a mistake does not run, and fails with \`ERR_VALIDATION_FAILED\` and diagnostics of the rule \`type_error\`.
\`"warn"\`: the code runs, and the diagnostics are warnings in its log. Needs the package \`typescript\`, version 5 or
later.

If a check takes too long, or the code has more than 65,536 characters, the code runs without a check, and a warning in
its log says so. The time for a check does not count against \`timeoutMs\`.`,
    rust: null,
  },
  {
    name: 'globals',
    type: 'strings',
    values: GUEST_GLOBALS,
    fallback: [],
    ts: 'readonly GuestGlobal[]',
    forPreparing: true,
    brief: 'further globals of guest code: timers, random numbers, `fetch` and others',
    doc: `Additional globals for guest code, in groups. \`"timers"\`: \`setTimeout\`, \`clearTimeout\`,
\`setInterval\` and \`clearInterval\`, for at most 1,000 timers at the same time. \`"crypto"\`: \`crypto.randomUUID\`,
\`crypto.getRandomValues\`, and \`crypto.subtle.digest\` for SHA-1, SHA-256, SHA-384 and SHA-512. \`"performance"\`:
\`performance.now\` and \`performance.timeOrigin\`, in whole milliseconds. \`"abort"\`: \`AbortController\` and
\`AbortSignal\`. \`"fetch"\`: \`fetch\`, \`Headers\`, \`Request\` and \`Response\`, for the requests that
{@link ExecutorOptions.network} allows, and \`Blob\`, \`File\` and \`FormData\` for their bodies.

Timers end with their run, and a run does not wait for them. In a \`DurableSession\` time and random numbers are recorded,
so that a replay repeats them.`,
    rust: { type: 'Vec<String>', doc: 'Additional globals for guest code, in groups.' },
  },
  {
    name: 'network',
    type: 'network',
    ts: 'NetworkPolicy',
    none: 'no request is allowed',
    brief: 'requests that guest code may make',
    doc: `The requests that guest code may make. The host makes them and checks each, including each step of a redirect. In
JavaScript it needs \`globals: ["fetch"]\`. In Python it makes \`urllib\`, \`requests\` and \`pyodide.http\` importable. A
request counts as a tool call named \`fetch\`: \`onToolCall\`, \`toolTimeoutMs\` and \`maxToolCalls\` apply.`,
    rust: {
      passedAs: 'services',
      field: 'services',
      type: 'Vec<ToolSpec>',
      native: 'Vec<NativeTool>',
      from: '$.into_iter().map(Into::into).collect()',
      doc: 'Functions of the host that `globals` need, by the names in their paths.',
    },
  },
  {
    name: 'onToolCall',
    type: 'function',
    ts: 'OnToolCall',
    none: 'every call is allowed',
    shown: 'none',
    brief: 'hook before each tool call: allows, refuses or replaces it',
    doc: `Called before each call of a tool, and of a function of a module. If it returns nothing, the call is made. If it
throws, the call fails in the guest with that error. If it returns \`{ args }\`, the tool is called with these
arguments. If it returns \`{ result }\`, the guest gets that result and no call is made. Any other value refuses the
call.

The hook may return a promise. The guest then waits, even if the tool is not \`async\`. This time is a part of the call:
it counts against \`timeoutMs\`, unless {@link ExecutorOptions.toolTimeoutMs} limits calls. If the run ends meanwhile,
the call is not made.`,
    rust: null,
  },
  {
    name: 'onLog',
    type: 'function',
    ts: '(entry: LogEntry) => void',
    none: 'none',
    brief: 'called with each log entry immediately',
    doc: `Called with each log entry while the run is in progress. An exception from it is reported once, as a warning of
the process, and has no other effect.`,
    rust: {
      passedAs: 'stream_logs',
      field: 'stream_logs',
      type: 'bool',
      doc: 'Whether log entries are reported while the run is in progress.',
    },
  },
];

/** Options of code tools that are numbers. They are not options of executors. */
export const CODE_TOOL_OPTIONS: OptionRow[] = [
  {
    name: 'maxOutputChars',
    type: 'integer',
    fallback: 20_000,
    min: 100,
    brief: 'length of the output that the model receives',
    doc: `Maximum length of the output that the model receives, and of the logs, in UTF-16 code units. Longer strings lose
their middle. Lists that are far longer lose their end too, and the model is informed.`,
    rust: null,
  },
  {
    name: 'maxDeclarationChars',
    type: 'integer',
    fallback: 8_000,
    min: 0,
    mayBeInfinite: true,
    brief: 'length of the declarations in the description; more functions are indexed',
    doc: `Maximum length of the declarations in the description, in UTF-16 code units. If the declarations of all functions are
longer, the description has an index of the functions instead, and code has \`tools.search(words)\` and
\`tools.describe(name)\`. If there is a tool or variable named \`tools\`, they are in \`toolbox\`.

Both functions answer on the host. \`onToolCall\` and \`approve\` are not called for them. They count towards \`maxToolCalls\`.`,
    rust: null,
  },
];

export function optionRow(name: string): OptionRow {
  const row = OPTIONS.find((option) => option.name === name);
  if (row === undefined) throw new Error(`there is no option ${name}`);
  return row;
}
