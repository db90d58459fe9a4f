// Compiled, never run: the declarations say what callers may write.
import {
  ExecutorError,
  SESExecutor,
  prepareProgram,
  validateCode,
  type CodeOutput,
  type Diagnostic,
  type ExecutorErrorCode,
  type ExecutorOptions,
  type ExecutorState,
  type ICodeExecutor,
  type Language,
  type LogEntry,
  type PreparedProgram,
  type RunOptions,
  type RunStats,
} from '../../index.js';
import {
  DurableSession,
  currentCall,
  durable,
  fileStore,
  memoryStore,
  sqliteStore,
  waitForAnswer,
  type Answer,
  type Finished,
  type JournalEntry,
  type JournalStore,
  type Stale,
  type Waiting,
  type WaitingCall,
} from '../../build/durable/index.js';
import type { PyodideExecutorOptions } from '../../build/python/index.js';
import type * as esm from '../../index.mjs' with { 'resolution-mode': 'import' };

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_ extends true>(): void => {};

export async function contract(): Promise<void> {
  const options: ExecutorOptions = {
    maxOperations: 1000,
    timeoutMs: 2000,
    runConcurrency: 'queue',
    maxQueuedRuns: 1,
    authorizedImports: ['units'],
    maxLogBytes: 1024,
    collectConsoleLevels: ['log', 'debug'],
    memoryLimitMb: 64,
    autoInit: true,
    language: 'typescript',
    modules: { units: 'export const a = 1;', store: { version: 1, find: async (id: string) => ({ id }) } },
    onToolCall: async ({ name, args, signal }) =>
      name === 'refused' || signal.aborted ? { result: null } : { args: args.slice(1) },
    onLog: (entry) => holds<Equal<typeof entry, LogEntry>>(),
  };
  const executor = new SESExecutor(options);
  // Lists are copied, so that those which nobody may change will do.
  const [imports, levels] = [['units'], ['warn', 'error']] as const;
  new SESExecutor({ authorizedImports: imports, collectConsoleLevels: levels });
  const parity: ICodeExecutor = executor;
  await parity.init();
  holds<Equal<typeof executor.state, ExecutorState>>();

  await executor.sendTools({
    readTool: async (path: string) => `content:${path}`,
    add: (a: number, b: number) => a + b,
    Host: { nested: { now: () => Date.now() } },
  });
  await executor.sendVariables({ any: [1, new Map()] });
  interface Api {
    add(a: number, b: number): number;
  }
  const api: Api = { add: (a, b) => a + b };
  await executor.sendTools({ ...api, api: { ...api } });
  // @ts-expect-error: it has no index signature
  await executor.sendTools(api);

  const language: Language = 'auto';
  const run: RunOptions = { timeoutMs: 1, maxOperations: 1, signal: new AbortController().signal, language };
  const result = await executor.run('1', run);
  holds<Equal<typeof result, CodeOutput>>();
  holds<Equal<typeof result.output, unknown>>();
  holds<Equal<typeof result.logEntries, LogEntry[]>>();
  holds<Equal<typeof result.stats, RunStats>>();

  try {
    await executor.run('1');
  } catch (error) {
    if (error instanceof ExecutorError) {
      holds<Equal<typeof error.code, ExecutorErrorCode>>();
      const line: number | undefined = error.details?.line;
      const retryable: boolean = error.retryable;
      const { stateLost, value, requests, ...limits } = error.details ?? {};
      holds<Equal<[typeof stateLost, typeof value], [boolean | undefined, string | undefined]>>();
      const { maxCpuMs, maxTransferBytes, maxToolCalls, limitBytes, usedBytes, bytes } = limits;
      const figures: (number | undefined)[] = [
        maxCpuMs,
        maxTransferBytes,
        maxToolCalls,
        limitBytes,
        usedBytes,
        bytes,
        requests,
      ];
      void figures;
      void [line, retryable, error.toJSON().severity, error.cause];
    }
  }
  await executor.cleanup();

  const diagnostics: Diagnostic[] = validateCode('1', { maxOperations: 1 });
  const program: PreparedProgram = prepareProgram('1');
  void [diagnostics[0]?.location?.line, program.transformedCode];

  await using disposable = new SESExecutor();
  holds<Equal<typeof esm.SESExecutor, typeof SESExecutor>>();
  holds<Equal<typeof esm.ExecutorError, typeof ExecutorError>>();
  void disposable;
}

export function wrongUse(): void {
  // @ts-expect-error: no such option
  new SESExecutor({ timeout: 5 });
  // @ts-expect-error: wrong type
  new SESExecutor({ timeoutMs: '5' });
  // @ts-expect-error: no such level
  new SESExecutor({ collectConsoleLevels: ['trace'] });
  const executor = new SESExecutor();
  // @ts-expect-error: the state is read-only
  executor.state = 'READY';
  // @ts-expect-error: neither a function nor a namespace
  void executor.sendTools({ five: 5 });
  // @ts-expect-error: no such option
  void executor.run('1', { timeout: 5 });
  // @ts-expect-error: private
  void executor.native;
}

export async function durableSession(options: ExecutorOptions, python: PyodideExecutorOptions): Promise<void> {
  const store: JournalStore = memoryStore();
  const session = await DurableSession.open('s', { store, executor: options });
  await DurableSession.open('s', { store: fileStore('sessions'), keys: { sign: 'key' }, executor: python });
  await DurableSession.open('s', {
    store: sqliteStore('sessions.db'),
    executor: options as typeof options | typeof python,
  });
  await DurableSession.open('s', { store, executor: { ...options, recover: 'replay' } });
  // @ts-expect-error: no such way to recover
  await DurableSession.open('s', { store, executor: { recover: 'journal' } });
  // @ts-expect-error: a store is required
  await DurableSession.open('s', { executor: options });
  const executor: ICodeExecutor = session;
  await executor.init();
  holds<Equal<typeof session.state, ExecutorState | 'WAITING' | 'REPLAYING'>>();
  holds<Equal<typeof session.waiting, readonly WaitingCall[]>>();
  const started: { status: 'finished'; output: CodeOutput } | { status: 'waiting'; calls: WaitingCall[] } =
    await session.start('1');
  holds<Equal<typeof started, Finished | Waiting>>();
  const answers: Record<string, Answer> = {
    a: { result: 1 },
    b: { error: { name: 'Error', message: 'no', code: 'E_NO' } },
    c: { approve: true },
  };
  const answered = await session.answer(answers);
  holds<Equal<typeof answered, Finished | Waiting | Stale>>();
  const fork: DurableSession = await session.fork('t', { run: 1, seed: 'fresh' });
  const view: DurableSession = await fork.replayTo({ run: 1 });
  const entries: AsyncIterable<JournalEntry> = view.history();
  for await (const { type } of entries) holds<Equal<typeof type, string>>();
  const pay = durable(async (n: number) => n, { inDoubt: 'fail', revert: async () => {} });
  holds<Equal<ReturnType<typeof pay>, Promise<number>>>();
  const call: { key: string; attempt: number; signal: AbortSignal } | undefined = currentCall();
  if (call !== undefined) waitForAnswer(call.key);
}
