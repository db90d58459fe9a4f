import { untraced } from '../contract/tracing';
import { SESExecutor } from '../ses/executor';
import { decode } from './values';
import type { Plan } from '../contract/plan';
import type { Endowments } from './endowments';
import type { CheckedBrowserOptions, RunSettings } from './options';
import type { BrowserOutput } from './output';

/** The error for code that needs a canvas when no browser is available. */
const NO_CANVAS =
  'there is no browser here, and therefore no canvas: install Chrome or Chromium, and see the process warning';

/**
 * Runs code when no browser can be started: in isolates of `SESExecutor`, one per run or one for the session. They have
 * no browser APIs. Their `getCanvas` and `saveArtifact` throw an error that says so.
 */
export class FallbackExecutor {
  #options;
  #endowments;
  /** The isolate of the session, or of the current run. */
  #executor: SESExecutor | undefined;
  /** The updates that the isolate of the session has not received. */
  #unsent: ((executor: SESExecutor) => Promise<void>)[] = [];

  /**
   * @param options of the `BrowserExecutor`
   * @param given the variables and tools that the executor was sent
   * @param reason why no browser is available
   */
  constructor(options: CheckedBrowserOptions, given: Endowments, reason: string) {
    process.emitWarning(
      `BrowserExecutor runs code in SESExecutor, without the functions of a browser: ${reason}. Correct that, or set the ` +
        'option `fallback` to false to get an error instead.',
      { type: 'SESExecutorWarning', code: 'SES_EXECUTOR_BROWSER_FALLBACK' },
    );
    this.#options = options;
    this.#endowments = given;
  }

  /** @param send sends data that `given` already contains */
  tell(send: (executor: SESExecutor) => Promise<void>) {
    if (this.#executor !== undefined) this.#unsent.push(send);
  }

  /**
   * @param options of the run, checked
   * @returns rejects as `SESExecutor.run()`
   */
  async run(
    code: string,
    { input, timeoutMs, toolTimeoutMs, language, signal, plan }: RunSettings,
  ): Promise<BrowserOutput> {
    const executor = this.#executor ?? (await this.#make());
    try {
      for (const send of this.#unsent.splice(0)) await send(executor);
      const [value] = await decode(input, { maxBytes: input.length, stackOf: (stack) => stack });
      await executor.sendVariables({ input: value });
      const limits =
        toolTimeoutMs === null || toolTimeoutMs === undefined ? { timeoutMs } : { timeoutMs, toolTimeoutMs };
      const output = await executor.run(code, { ...limits, language, signal, plan: plan as Plan | undefined });
      return { ...output, artifacts: [] };
    } finally {
      if (this.#options.isolation === 'run') await this.cleanup();
    }
  }

  /** Whether the isolate of the session cannot take further runs. */
  get isDirty() {
    return this.#executor?.state === 'DIRTY';
  }

  async cleanup() {
    const executor = this.#executor;
    this.#executor = undefined;
    this.#unsent = [];
    await executor?.cleanup();
  }

  async #make() {
    const { onToolCall, onLog, toolTimeoutMs } = this.#options;
    const options = {
      timeoutMs: this.#options.timeoutMs,
      maxLogBytes: this.#options.maxLogBytes,
      collectConsoleLevels: this.#options.collectConsoleLevels,
      memoryLimitMb: this.#options.memoryLimitMb,
      maxCodeBytes: this.#options.maxCodeBytes,
      maxToolCalls: this.#options.maxToolCalls,
      maxConcurrentToolCalls: this.#options.maxConcurrentToolCalls,
      maxTransferBytes: this.#options.maxTransferBytes,
      ...(toolTimeoutMs !== null && toolTimeoutMs !== undefined && { toolTimeoutMs }),
      language: this.#options.language,
      ...(onToolCall !== undefined && { onToolCall }),
      ...(onLog !== undefined && { onLog }),
      maxOperations: Number.MAX_SAFE_INTEGER,
    };
    const executor = untraced(new SESExecutor(options));
    // From here on, `cleanup()` ends the isolate.
    this.#executor = executor;
    try {
      await executor.init();
      const refuse = () => {
        throw Object.assign(new Error(NO_CANVAS), { code: 'ERR_NO_BROWSER' });
      };
      await executor.sendTools({ getCanvas: refuse, saveArtifact: refuse });
      await this.#endowments.sendTo(executor);
      return executor;
    } catch (error) {
      if (this.#executor === executor) await this.cleanup();
      throw error;
    }
  }
}
