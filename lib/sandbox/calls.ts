import { DISPLAY_TEXT } from '../contract/display';
import { ExecutorError } from '../contract/errors';
import { failureOf } from '../contract/failure';
import { ConcurrencyLimiter } from '../contract/concurrency-limiter';
import { withTimeLimit } from '../contract/time-limit';
import { codeFrame } from '../ses/code-frame';
import { hostTooSlow } from './errors';
import { aborted } from './failures';
import { contentOf } from './report';
import { RULES, methodsText, sourcesText } from './prompt';
import type { AnyManager } from './prompt';
import type { ExecutionReport } from './report';
import type { SandboxToolsOptions } from './tools';
import type { Content } from '../contract/content';
import type { RunFailure } from '../contract/run-failure';

/**
 * The three ways to use a manager, as a model's tools call them. Failures are values. The state lives here, or in the
 * store that the options name.
 */
export class ManagerCalls {
  #manager;
  #options;
  #state: unknown;
  #limiter = new ConcurrencyLimiter({ maxConcurrent: 1 });

  constructor(manager: AnyManager, options: SandboxToolsOptions = {}) {
    this.#manager = manager;
    this.#options = options;
    this.#state = options.state;
  }

  /** The tool descriptions for models. */
  get descriptions() {
    const { style = 'sync' } = this.#options;
    const sources = sourcesText(this.#manager);
    const methods = methodsText(this.#manager, style);
    return {
      search: `Finds methods of the API. Runs JavaScript in which only \`tools\` and \`spec\` are defined: tools.search('words') returns \
[{ name, description }], the best first, and tools.describe(name, …) the declarations of methods in TypeScript; spec.find('words' or /pattern/) \
returns [{ method, description }], spec.method('source.method') returns params and result as JSON schemas, spec.sources has all. The last expression \
is the result.\n\nSources:\n${sources}`,
      execute: `Runs JavaScript that calls the API: sdk.source.method(params), with tools, spec and utils. ${
        methods === '' ? 'Search for methods and read their declarations first. ' : ''
      }The last expression is the result, and becomes the current state. ${DISPLAY_TEXT}\n${RULES[style]}\n\nSources:\n${sources}${methods}`,
      mutate: `Changes the current state with a function, (state) => ({ ...state, … }), which may use sdk, spec and utils. The state is \
frozen; the value that the function returns becomes the current state.\n${RULES[style]}`,
    };
  }

  /** @returns rejects only with errors of the surrounding host program */
  async call(
    name: 'search' | 'execute' | 'mutate',
    code: string,
    signal?: AbortSignal,
  ): Promise<{ output?: unknown; failure?: RunFailure; logs: string; content: Content }> {
    const { style, ...given } = this.#options;
    let report: ExecutionReport | undefined;
    const onReport = (one: ExecutionReport) => (report = one);
    const options = {
      signal,
      onReport,
      ...(style && { style }),
      ...('context' in given && { context: given.context }),
    };
    try {
      const output =
        name === 'search' ? await this.#manager.executeSearch(code, options) : await this.#change(name, code, options);
      return { output, logs: report?.logs ?? '', content: contentOf(report) };
    } catch (thrown) {
      if (!(thrown instanceof ExecutorError)) throw thrown;
      const failure = failureOf(thrown, { code, codeFrame });
      return { failure, logs: thrown.logs ?? '', content: contentOf(report) };
    }
  }

  /**
   * Derives a state from the previous one. Calls run in order: of two concurrent calls, the second receives the state
   * of the first.
   */
  async #change(name: 'execute' | 'mutate', code: string, options: { signal: AbortSignal | undefined }) {
    const { getState, setState } = this.#options;
    const { signal } = options;
    const timeoutMs = this.#manager.limits.executionTimeoutMs;
    /** Awaits the result of a host function. Queued calls wait no longer for it than for a program. */
    const answered = (name: string, when: string, given: unknown) =>
      withTimeLimit(Promise.resolve(given), {
        timeoutMs,
        signal,
        late: () => hostTooSlow(name, name, timeoutMs),
        aborted: (reason) => aborted(when, timeoutMs, reason),
      });
    const beforeItBegan = 'before it began';
    await this.#limiter.enter(signal, () => aborted(beforeItBegan, timeoutMs, signal?.reason));
    try {
      const state = () => (getState ? answered('getState', beforeItBegan, getState()) : this.#state);
      const output =
        name === 'mutate'
          ? await this.#manager.executeMutate(code, await state(), options)
          : await this.#manager.executeCode(code, options);
      this.#state = output;
      if (setState) await answered('setState', 'before its state was stored', setState(output));
      return output;
    } finally {
      this.#limiter.leave();
    }
  }
}
