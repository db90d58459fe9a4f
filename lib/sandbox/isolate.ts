import { onAbort } from '../contract/signals';
import { blocking } from '../contract/tool-traits';
import { SESExecutor } from '../ses/executor';
import { HOST, TEXTS, bootstrap, rehearsal } from './bootstrap';
import type { ExecutorOptions } from '../contract/executor-options';
import type { Execution } from './execution';
import type { GuestGlobal } from '../contract/executor-types';
import type { CheckedNetwork } from '../contract/network-policy';
import type { Tools } from '../contract/tool-types';
import type { RegistryTexts } from './registry';

export interface IsolateOptions {
  isolation: 'thread' | 'process' | 'remote';
  remote: ExecutorOptions['remote'];
  sandbox: 'required' | 'best-effort' | 'off';
  owner: string;
  maxParkedMb: number;
  globals: readonly GuestGlobal[];
  network: CheckedNetwork | undefined;
  executionTimeoutMs: number;
  memoryLimitMb: number;
  maxOperations: number;
  maxSdkCalls: number;
  maxTransferBytes: number;
  maxLogBytes: number;
  maxCodeBytes: number;
}

/** Answers the calls that an isolate makes while it is being prepared. */
const answers = { call: () => 0, start: () => 1, next: () => 1, take: () => 0, refuse: () => 0, describe: () => '' };

/** An isolate with `spec`, `sdk` and `utils`, for one execution. */
export class Isolate {
  #executor;
  #execution: Execution | undefined;

  constructor({ executionTimeoutMs, maxSdkCalls, ...options }: IsolateOptions) {
    this.#executor = new SESExecutor({
      ...options,
      timeoutMs: executionTimeoutMs,
      // A call by ticket takes several tool calls: start, wait and take. They are bounded so that a flood of them ends
      // the run like a flood of other calls.
      maxToolCalls: 4 * maxSdkCalls + 16,
      maxConcurrentToolCalls: maxSdkCalls + 16,
    });
  }

  /** @param how whether an execution waits for the isolate, and the signal that cancels its creation */
  static async make(
    options: IsolateOptions,
    texts: RegistryTexts,
    { isAwaited, signal }: { isAwaited: boolean; signal: AbortSignal },
  ) {
    const isolate = new Isolate(options);
    const stopListening = onAbort(signal, () => isolate.dispose());
    try {
      await isolate.#prepare(texts);
      if (!isAwaited) await isolate.#executor.run(rehearsal);
      return isolate;
    } catch (error) {
      isolate.dispose();
      throw error;
    } finally {
      stopListening();
    }
  }

  async #prepare(texts: RegistryTexts) {
    const executor = this.#executor;
    await executor.init();
    const execution = () => this.#execution ?? answers;
    await executor.sendTools({
      [HOST]: {
        call: blocking((...args: unknown[]) => execution().call(args[0], args[1], args[2], { how: args[3] })),
        callLater: async (...args: unknown[]) =>
          execution().call(args[0], args[1], args[2], { place: args[3], how: args[4] }),
        start: (...args: unknown[]) => execution().start(args[0], args[1], args[2], args[3]),
        next: blocking(() => execution().next()),
        take: (ticket: unknown) => execution().take(ticket),
        refuse: blocking((...args: unknown[]) => execution().refuse(args[0], args[1])),
        describe: (...args: unknown[]) => execution().describe(args[0], args[1]),
      },
    });
    await executor.sendVariables({ [TEXTS]: texts });
    await executor.run(bootstrap);
  }

  /**
   * Runs the one program of this isolate.
   *
   * @param given what the program has besides the API
   */
  async run(code: string, execution: Execution, given: { variables: Record<string, unknown>; tools: Tools }) {
    this.#execution = execution;
    const { variables, tools } = given;
    if (Object.keys(variables).length > 0) await this.#executor.sendVariables(variables);
    if (Object.keys(tools).length > 0) await this.#executor.sendTools(tools);
    return await this.#executor.run(code, { signal: execution.stop });
  }

  /** Whether the isolate is unusable although it has not run a program. */
  get isLost() {
    return this.#executor.state !== 'READY';
  }

  /** Ends all work in the isolate. Does not wait. */
  dispose() {
    // It fails only if its thread has already ended.
    this.#executor.cleanup().catch(() => {});
  }
}
