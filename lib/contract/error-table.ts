// The errors of executors (specification, section 8.2). A code is added here and nowhere else. `errors.ts` creates
// errors from this table, and `failure.ts` takes hints for models from it. `npm run generate` writes `error-codes.ts`,
// the sections of docs/reference/errors.md, and `FailureKind` of Rust from it.

import type { ExecutorErrorCode } from './error-codes';

export interface ErrorRow {
  code: ExecutorErrorCode;
  severity: 'FATAL' | 'ERROR' | 'WARN';
  /** whether rewritten code, or the same call later, can succeed */
  retryable: boolean;
  /** template; `{name}` is one of `params` */
  message: string;
  /** the parameters of the template, with their types in Rust */
  params: Record<string, string>;
  /** the state of the executor afterwards */
  leaves: 'READY' | 'DIRTY' | 'DEAD' | 'WAITING' | 'unchanged';
  /** another possible state, and when it applies */
  leavesToo?: string;
  /** false if the specification does not have it */
  ofSpecification?: boolean;
  /** name of the variant of `FailureKind`; absent if Rust does not use it */
  variant?: string;
  /** for Rust: why the call failed */
  cause?: string;
  /** for docs/reference/errors.md: what happened, what `details` contains, what to do */
  doc: string;
  /** for docs/reference/errors.md */
  example?: string;
  /** what the author of the code can do, if the message alone does not say it */
  hint?: string;
}

export const ERRORS: ErrorRow[] = [
  {
    code: 'ERR_INVALID_STATE',
    severity: 'ERROR',
    retryable: false,
    message: 'Invalid executor state: {state}',
    params: { state: "&'static str" },
    leaves: 'unchanged',
    variant: 'InvalidState',
    cause: 'The call is not legal in this state.',
    doc: `The method is not legal in the current state, or the queue is full, or the executor was cleaned up or became
\`DIRTY\` while the call was pending. The message continues with the call and what to do. \`details.operation\` names the
method, and \`details.hint\` says what to do instead.`,
    example: "await new SESExecutor().run('1'); // before init(), without autoInit",
  },
  {
    code: 'ERR_SES_INIT_FAILED',
    severity: 'FATAL',
    retryable: false,
    message: 'SES init failed: {details}',
    params: { details: 'String' },
    leaves: 'DEAD',
    variant: 'InitFailed',
    cause: 'The isolate could not be made.',
    doc: `The isolate or its thread could not be created. Either the process is short of memory or threads, or abandoned
isolates of the same \`owner\` hold \`maxParkedMb\`. In the second case \`details.heldBytes\` is what they hold.
\`details.parked\` isolates are parked and keep their memory until the process ends, and \`details.stuck\` isolates do not
end. Replace the process.`,
  },
  {
    code: 'ERR_VALIDATION_FAILED',
    severity: 'ERROR',
    retryable: true,
    message: 'Code validation failed',
    params: {},
    leaves: 'READY',
    variant: 'ValidationFailed',
    cause: 'VALIDATE or TRANSFORM refused the code, which did not run.',
    doc: `The code was refused before it ran. It may be empty, not parse in its \`language\`, use a reserved identifier, or be
nested too deeply. The limits of the run may be invalid. Two rules keep checking fast: code may be too complex to be read as
TypeScript (\`typescript_too_complex\`), or have regular expressions with too many property names
(\`regexp_too_complex\`). With \`typecheck\`, mistakes in types are findings, too (\`type_error\`).

\`details.diagnostics\` lists every finding with \`rule\`, \`severity\`, \`message\`, \`location\` and, if there is
one, \`fix\`. Send them to the model.`,
    example: "await executor.run('const = 1'); // details.diagnostics[0].rule === 'syntax_valid'",
    hint: 'None of the code has run. Correct it and send all of it again.',
  },
  {
    code: 'ERR_IMPORT_NOT_ALLOWED',
    severity: 'ERROR',
    retryable: true,
    message: 'Import not allowed: {module}',
    params: { module: 'String' },
    leaves: 'READY',
    variant: 'ImportNotAllowed',
    cause: 'An import that is not in `authorizedImports`.',
    doc: `The code imports a module that is not in \`authorizedImports\`. \`details.module\` is its name. If the specifier of
an \`import()\` is not a literal, it is checked when the call is made. Allow the module, or tell the model to work
without it.`,
    example: `await executor.run('await import("node:fs")');`,
    hint: 'Do without this module: use the language itself and the functions that are provided.',
  },
  {
    code: 'ERR_MAX_OPS_EXCEEDED',
    severity: 'ERROR',
    retryable: true,
    message: 'Max operations exceeded ({limit})',
    params: { limit: 'f64' },
    leaves: 'READY',
    variant: 'MaxOperations',
    cause: 'The loop guards counted more than `maxOperations`.',
    doc: `The loops of the run made more than \`maxOperations\` iterations, including loops in functions of earlier runs.
Guest code cannot catch this error. \`details.maxOperations\` is the limit. With \`details.module\`, the loops ran while
modules were loading, and the limit is 10 million iterations for all modules together, which no option changes. Let
the model rewrite the loop, or raise the limit.`,
    example: "await executor.run('while (true) {}');",
    hint: 'Write loops that end earlier, or use array methods and the functions that are provided.',
  },
  {
    code: 'ERR_EXEC_TIMEOUT',
    severity: 'ERROR',
    retryable: true,
    message: 'Execution timed out after {timeoutMs}ms',
    params: { timeoutMs: 'f64' },
    leaves: 'DIRTY',
    leavesToo:
      'unchanged if it was aborted before it began; READY with `keepState`, if the run could be ended without its isolate',
    variant: 'Timeout',
    cause: 'The deadline passed or the caller aborted.',
    doc: `The deadline passed, the run used up \`maxCpuMs\`, or its \`signal\` was aborted (\`details.aborted\`).
\`details.reason\` is \`"deadline"\`, \`"cpu"\` or the reason of the signal. The limit is in \`details.maxCpuMs\` if the
reason is \`"cpu"\`, and otherwise in \`details.timeoutMs\`.

The isolate is given up. Call \`cleanup()\` and \`init()\`, then send variables and tools again. With \`keepState\` the run
is stopped, and its isolate is kept if possible. In this case \`details.stateLost\` is \`false\`, the state is \`READY\`, and
nothing is lost.

With \`toolTimeoutMs\`, time in which the run only waits for tools does not count. A run that is aborted before it
starts, or while it is in the queue, changes nothing and has no \`stats\`.`,
    example: "await executor.run('await new Promise(() => {})', { timeoutMs: 100 });",
    hint: 'Do less in one run, and await only promises that settle.',
  },
  {
    code: 'ERR_RUNTIME_EXCEPTION',
    severity: 'ERROR',
    retryable: true,
    message: 'Runtime exception: {cause}',
    params: { cause: 'String' },
    leaves: 'READY',
    variant: 'Runtime',
    cause: 'Guest code threw.',
    doc: `Guest code threw. \`details.name\` is the name of the error, or \`null\` if the thrown value is not an error. Send
\`message\`, \`details.codeFrame\` and \`logs\` to the model.`,
    example: "await executor.run('undefinedVariable + 1'); // details.name === 'ReferenceError'",
    hint: 'Correct the code at that place and run it again.',
  },
  {
    code: 'ERR_TOOL_PROXY_FAIL',
    severity: 'ERROR',
    retryable: true,
    message: 'Tool execution failed: {cause}',
    params: { cause: 'String' },
    leaves: 'READY',
    variant: 'Tool',
    cause: 'A tool, or the bridge to it, failed and the guest did not handle it.',
    doc: `A host tool threw or rejected, and guest code did not handle the error. \`details.tool\` names the tool.
\`error.cause\` is the value that the tool threw; it is absent if 64 more calls have failed since then. With
\`details.bridge\` the tool is not the cause: its arguments or its result cannot be cloned, and the message contains the
path of the value. \`details.code\` is \`"ERR_TOOL_TIMEOUT"\` if the tool did not answer within \`toolTimeoutMs\`.

An error that guest code catches does not fail the run. If guest code throws another error instead, the code is
\`ERR_RUNTIME_EXCEPTION\`.`,
    example: `await executor.run('await readTool("missing.txt")');`,
    hint: 'Correct the arguments, catch the error, or do without this call.',
  },
  {
    code: 'ERR_MEMORY_LIMIT_EXCEEDED',
    severity: 'ERROR',
    retryable: true,
    message: 'Memory limit exceeded ({limitMb} MB)',
    params: { limitMb: 'f64' },
    leaves: 'READY',
    leavesToo: 'DIRTY with `details.parked` or `details.stateLost`',
    ofSpecification: false,
    variant: 'Memory',
    cause: 'The memory limit was reached.',
    doc: `The values of the guest reached \`memoryLimitMb\`. \`details.limitBytes\` is the limit and \`details.usedBytes\` the
memory in use. The executor is \`READY\` if the memory could be collected. It is \`DIRTY\` with \`details.stateLost\` if
variables hold nearly all of the memory, and with \`details.parked\` if V8 could not continue and the thread was parked.

Array buffers beyond the limit do not cause this error. Allocating one throws a \`RangeError\` that guest code can
catch.`,
    example:
      "await executor.run('const hoard = []; for (;;) hoard.push({ at: hoard.length })', { maxOperations: 1e9 });",
    hint: 'Work on smaller pieces, and keep results instead of intermediate values.',
  },
  {
    code: 'ERR_TOOL_CALL_LIMIT_EXCEEDED',
    severity: 'ERROR',
    retryable: true,
    message: 'Tool call limit exceeded ({limit})',
    params: { limit: 'u64' },
    leaves: 'READY',
    ofSpecification: false,
    variant: 'ToolCallLimit',
    cause: 'The run made more tool calls than `maxToolCalls`.',
    doc: `The run made more than \`maxToolCalls\` tool calls. \`details.maxToolCalls\` is the limit. Guest code cannot catch
this error. Let the model make fewer calls, or raise the limit. A page in a browser that makes more than 1,000
requests fails with the message \`Request limit exceeded (1000)\` and \`details.requests\`.`,
    example: "await executor.run('for (let i = 0; i < 2000; i++) readTool(i)');",
    hint: 'Make fewer calls: request more per call, or do the rest in another run.',
  },
  {
    code: 'ERR_TRANSFER_LIMIT_EXCEEDED',
    severity: 'ERROR',
    retryable: true,
    message: 'Transfer limit exceeded ({limit} bytes)',
    params: { limit: 'usize' },
    leaves: 'READY',
    ofSpecification: false,
    variant: 'TransferLimit',
    cause: 'A value takes more bytes than `maxTransferBytes`.',
    doc: `The output of a run, or the variables that were sent, take more than \`maxTransferBytes\`. An output also fails if
it would use more than four times that as memory of Node.js: an empty Map, for example, takes three serialized bytes
and two hundred bytes in Node.js. \`details.value\` is \`"output"\` or \`"variables"\`, \`details.maxTransferBytes\` is the
limit, and \`details.bytes\` is the size, if known.

If the arguments or the result of a tool call are too large, the guest gets an error with this \`code\`. If it does not
handle the error, the run fails with \`ERR_TOOL_PROXY_FAIL\` and \`details.bridge\`.`,
    example: `await executor.run("Array(1e5).fill('x'.repeat(1e6))");`,
    hint: 'Return less: a part, a count or a summary.',
  },
  {
    code: 'ERR_CLEANUP_FAILED',
    severity: 'WARN',
    retryable: false,
    message: 'Cleanup failed: {cause}',
    params: { cause: 'String' },
    leaves: 'DEAD',
    variant: 'CleanupFailed',
    cause: '`cleanup()` met a thread that had died.',
    doc: `The executor's thread ended unexpectedly. The executor is released nevertheless. Please report this.`,
  },
  {
    code: 'ERR_WORKER_LOST',
    severity: 'ERROR',
    retryable: true,
    message: 'Worker lost: {reason}',
    params: { reason: 'String' },
    leaves: 'DIRTY',
    leavesToo: 'DEAD if it happened in `init()`',
    ofSpecification: false,
    variant: 'WorkerLost',
    cause: 'The process of the isolate has ended, or does not answer.',
    doc: `With \`isolation: "process"\` or \`"remote"\`: the worker process crashed, was killed from outside, or does not answer.
\`details.reason\` says what is known. With \`"remote"\` it is \`"gone"\` (the process or its worker has ended), \`"hung"\` (it
does not answer), \`"broker"\` (the broker was unreachable for more than 10 seconds), \`"draining"\` (the worker was asked to end) or
\`"version"\` (the worker has another version). \`details.toolCalls\` is the number of tool calls that the run had made, and \`logs\`
has its log so far. The run is not repeated automatically, because its tool calls have already taken effect. Call
\`cleanup()\` and \`init()\`, send variables and tools again, and decide whether to run the code again.`,
    hint: 'The engine was lost and with it all variables. Look at what the tools have done before you run the code again.',
  },
  {
    code: 'ERR_BROWSER_INIT_FAILED',
    severity: 'FATAL',
    retryable: false,
    message: 'Browser init failed: {details}',
    params: { details: 'String' },
    leaves: 'DEAD',
    ofSpecification: false,
    doc: `With \`BrowserExecutor\` and \`fallback: false\`: Chrome or Chromium is not installed, or does not start with its
sandbox. \`details.reason\` says what is missing. Install it, or set its path in \`executablePath\` or in the environment
variable \`CHROME_PATH\`.`,
    example: "await new BrowserExecutor({ executablePath: '/nowhere', fallback: false }).init();",
  },
  {
    code: 'ERR_BROWSER_CRASHED',
    severity: 'ERROR',
    retryable: true,
    message: 'Browser crashed: {reason}',
    params: { reason: 'String' },
    leaves: 'READY',
    leavesToo: 'DIRTY with `isolation: "session"`',
    ofSpecification: false,
    doc: `With \`BrowserExecutor\`: the process of the page, or the whole browser, ended during the run. \`details.reason\`
says what is known. The run is not repeated automatically, because its tool calls have already taken effect. The next
run gets a new page and, if necessary, a new browser.`,
    hint: 'The page was lost. Look at what the tools have done before you run the code again.',
  },
  {
    code: 'ERR_RUN_WAITING',
    severity: 'WARN',
    retryable: false,
    message: 'The run waits for answers to tool calls',
    params: {},
    leaves: 'WAITING',
    ofSpecification: false,
    variant: 'RunWaiting',
    cause: 'The rest of the run waits for calls that are answered from outside.',
    doc: `With \`DurableSession\`: the rest of the program waits for tool calls that are answered from outside.
\`details.calls\` lists them as \`{ key, name, args, payload }\`. The journal holds the run, and no isolate is kept. Answer
the calls with \`answer()\`, now or in another process: the program then continues after these calls. \`run()\` rejects
with this code as long as calls wait.`,
    hint: 'The program has not ended. It continues when the calls that it waits for are answered.',
  },
  {
    code: 'ERR_REPLAY_DIVERGED',
    severity: 'FATAL',
    retryable: false,
    message: 'Replay diverged from the journal: {cause}',
    params: { cause: 'String' },
    leaves: 'DEAD',
    ofSpecification: false,
    variant: 'ReplayDiverged',
    cause: 'The replay of a journal did not do what the journal says.',
    doc: `With \`DurableSession\`: the replay of the journal did not do what the journal says. No tool was called,
except for those with \`record: "nothing"\`. \`details.entry\` is the number of the entry, \`details.run\` that of the run, and
\`details.cause\` is \`"call"\`, \`"log"\`, \`"outcome"\`, \`"stuck"\`, or \`"answer"\` if a tool with \`record: "nothing"\` returned
another result. \`details.expected\` is what the journal says and \`details.actual\` what happened.
Either the engine differs from the one that recorded the session, or the program depends on where the stack ends or
on the bits of NaN. Open the session with the version of the package that recorded it, \`fork()\` it before that run, or begin again with
its plain variables: \`from: "data"\`.`,
  },
  {
    code: 'ERR_CALL_IN_DOUBT',
    severity: 'ERROR',
    retryable: false,
    message: 'Nobody knows whether the call of {tool} took effect',
    params: { tool: 'String' },
    leaves: 'READY',
    ofSpecification: false,
    doc: `With \`DurableSession\`: the process ended after the tool was called and before its answer was in the journal, and
the tool is declared with \`inDoubt: "fail"\`. The guest gets an error with this \`code\`, and \`details.code\` is this
code if the guest does not handle it. Find out with \`details.key\`, the key of the call, whether the call took effect.
Declare the tool with \`inDoubt: "repeat"\` if it may be called again, or \`"wait"\` if a person has to decide.`,
    hint: 'Find out whether the call has taken effect before you make it again.',
  },
  {
    code: 'ERR_CALL_NOT_PLANNED',
    severity: 'ERROR',
    retryable: true,
    message: 'The call of {tool} is not in the plan: it {reason}',
    params: { tool: 'String', reason: 'String' },
    leaves: 'READY',
    ofSpecification: false,
    doc: `The run has a [plan](../guide/plans.md), and the program called a tool in a way that the plan does not contain:
another tool, more calls, or other arguments. The tool was not called. The guest gets an error with this \`code\`. If it
does not handle the error, the run fails with \`ERR_TOOL_PROXY_FAIL\`, \`details.code\` is this code, \`details.tool\` names
the tool, and \`details.bridge\` is \`true\`. The host decides this: guest code cannot change it.`,
    hint: 'Call only what the approved program shows. For other calls, send a new program.',
  },
  {
    code: 'ERR_JOURNAL_CONFLICT',
    severity: 'ERROR',
    retryable: false,
    message: 'Journal conflict: {reason}',
    params: { reason: 'String' },
    leaves: 'DEAD',
    ofSpecification: false,
    doc: `With \`DurableSession\`: another host has the session open or has written to its journal, or a new session was
given an \`id\` that is in use. The host that gets this error has not called a tool since. Use the session on the other
host, or open it again after \`cleanup()\` there. The lock of a process that has ended is taken over automatically.`,
  },
  {
    code: 'ERR_JOURNAL_INVALID',
    severity: 'FATAL',
    retryable: false,
    message: 'The journal cannot be used: {reason}',
    params: { reason: 'String' },
    leaves: 'DEAD',
    ofSpecification: false,
    doc: `With \`DurableSession\`: the journal has a wrong form, was changed or was signed with another key, or its store
failed. \`details.flaw\` is \`"form"\`, \`"mac"\`, \`"order"\` or \`"store"\`, and \`details.entry\` is the number of the entry.
With \`"store"\`, \`error.cause\` is the error of the store: nothing that was not stored has reached the guest or a tool, so
open the session again when the store works. With \`"mac"\`, check \`keys\` and \`id\` first; if they are right, somebody has
changed the journal, and it must not be used.`,
  },
  {
    code: 'ERR_JOURNAL_LIMIT',
    severity: 'ERROR',
    retryable: false,
    message: 'Journal limit exceeded ({limit} bytes)',
    params: { limit: 'usize' },
    leaves: 'DIRTY',
    ofSpecification: false,
    variant: 'JournalLimit',
    cause: 'The journal has no room for the next entry.',
    doc: `With \`DurableSession\`: the journal would take more than \`maxJournalBytes\`. \`details.limit\` is the limit.
Nothing is truncated: the run has ended, and the next run finds the state before it. Raise the limit, or continue in a new
session.`,
    hint: 'The session is full. Let tools return less, or continue in a new session.',
  },
  {
    code: 'ERR_NO_WORKER',
    severity: 'ERROR',
    retryable: true,
    message: 'No worker: {reason}',
    params: { reason: 'String' },
    leaves: 'DEAD',
    ofSpecification: false,
    variant: 'NoWorker',
    cause: 'No worker of a fleet has taken the session.',
    doc: `With \`isolation: "remote"\`, from \`init()\`: no worker has taken the session. \`details.reason\` is \`"none"\` (the pool has no
worker of this version), \`"full"\` (all workers are full), \`"silent"\` (no worker answers), \`"broker"\` (the broker cannot be
reached) or \`"refused"\` (a worker does not serve such sessions). Nothing has run. Call \`init()\` again later, or start more
workers.`,
    hint: 'No engine is free at the moment. Nothing has run. Try again later.',
  },
  {
    code: 'ERR_REPLAY_ENGINE',
    severity: 'FATAL',
    retryable: false,
    message: 'The session needs another engine: {reason}',
    params: { reason: 'String' },
    leaves: 'DEAD',
    ofSpecification: false,
    doc: `With \`DurableSession\`: the session was recorded by an engine that this process cannot offer. \`details.name\`
says what differs: the package, V8, ICU, the architecture, the time zone, the Pyodide build, an option, or a tool that is
missing. \`details.expected\` is the recorded value and \`details.actual\` the one here. Change what differs. A session
with \`onEngineChange: "verify"\` is replayed on another version and continues if nothing differs. If nothing can be changed, \`from: "data"\` begins the
session again with its plain variables.`,
  },
];

export function errorRow(code: string): ErrorRow | undefined {
  return ERRORS.find((row) => row.code === code);
}
