import { Content } from '../../contract/content';
import { DISPLAY, DISPLAY_TEXT, HELPER_TRAITS, displayTo } from '../../contract/display';
import { KeptOutputs } from '../../contract/kept-outputs';
import { useOf } from '../../contract/name-use';
import { withTraits } from '../../contract/tool-traits';
import type { Executor } from '../../contract/executor-types';
import type { Reporting } from '../../contract/model-text';
import type { Tools } from '../../contract/tool-types';
import type { FinishedCall } from '../../contract/waiting-call';

const PROGRESS = 'progress';
const OUTPUTS = 'outputs';

const NAMES = [DISPLAY, PROGRESS, OUTPUTS];

/** The helpers by their paths, for plans. */
export const HELPER_PATHS = [[DISPLAY], [PROGRESS], [OUTPUTS, 'get']];

/** UTF-16 units of a progress message. */
const MAX_MESSAGE = 1_000;

/** What the helpers of all runs of a session share. */
export class HelperState {
  readonly kept: KeptOutputs = new KeptOutputs();
  /** Names that programs have declared themselves. */
  #declared: Set<string> = new Set();
  /** Names that programs have used: their functions may use them again. */
  #used: Set<string> = new Set();

  /** That of an executor, whose code tools share the outputs that it has kept. */
  static of(executor: Executor): HelperState {
    const state = STATES.get(executor) ?? new HelperState();
    STATES.set(executor, state);
    return state;
  }

  /**
   * The helpers that a program or an earlier one uses. There are no others, because programs may give the names to
   * their own variables.
   *
   * @param earlier other programs of the isolate
   */
  namesFor(code: string, earlier: () => readonly string[] | undefined): string[] {
    const used = NAMES.filter((name) => {
      const use = useOf(code, name);
      if (use === 'declared') this.#declared.add(name);
      return (use === 'used' || this.#used.has(name)) && !this.#declared.has(name);
    });
    if (used.length === 0) return used;
    const programs = earlier() ?? [];
    const free = used.filter((name) => !programs.some((program) => useOf(program, name) === 'declared'));
    for (const name of free) this.#used.add(name);
    return free;
  }

  /** The variables of the session are gone. */
  clear() {
    this.kept.clear();
    this.#declared.clear();
    this.#used.clear();
  }
}

const STATES: WeakMap<Executor, HelperState> = new WeakMap();

export interface RunHelpersOptions {
  /** UTF-16 units of an output, and of the texts that the run shows */
  maxChars?: number | undefined;
  /** of the session; absent if runs share none */
  state?: HelperState | undefined;
  /** Returns the programs that the isolate has run, if they are known. */
  earlier?: (() => readonly string[] | undefined) | undefined;
  /** Returns the names that code uses for something else. */
  taken: () => readonly string[];
  /** Receives what code says with `progress`. */
  onProgress?: ((message: string, fraction: number | undefined) => void) | undefined;
}

/** The functions that one run has in addition to tools: `display`, `progress` and `outputs.get`. */
export class RunHelpers {
  readonly tools: Tools;
  readonly reporting: Reporting;
  /** What the run shows. */
  readonly content: Content;
  #display;

  constructor(code: string, { maxChars, state, earlier = () => [], taken, onProgress }: RunHelpersOptions) {
    this.content = new Content(maxChars);
    this.#display = displayTo(this.content);
    const named = (state ?? new HelperState()).namesFor(code, earlier);
    const used = named.length === 0 ? named : named.filter((name) => !taken().includes(name));
    const progress = (text: unknown, fraction?: unknown) => {
      onProgress?.(String(text).slice(0, MAX_MESSAGE), fractionOf(fraction));
    };
    const kept = state?.kept;
    const get = (ref: unknown) => kept?.get(ref);
    const helpers: Tools = {
      [DISPLAY]: this.#display,
      [PROGRESS]: withTraits(progress, HELPER_TRAITS),
      ...(kept && { [OUTPUTS]: { get: withTraits(get, HELPER_TRAITS) } }),
    };
    this.tools = Object.fromEntries(Object.entries(helpers).filter(([name]) => used.includes(name)));
    const keep = kept && ((value: unknown) => (taken().includes(OUTPUTS) ? undefined : adviceOf(kept.keep(value))));
    this.reporting = { maxChars, content: this.content, keep };
  }

  /** What a paused run has shown. Its replay does not call the host again. */
  onEarlier = async (calls: readonly FinishedCall[]) => {
    if (!Object.hasOwn(this.tools, DISPLAY)) return;
    for (const { args } of calls.filter(({ name }) => name === DISPLAY)) await this.#display(args[0]);
  };

  /** The run has ended. */
  end() {
    this.content.end();
  }
}

/**
 * The sentences of a description that name the helpers, each with a leading space. The text of a long output names
 * `outputs`.
 *
 * @param reportsProgress whether somebody reads progress
 */
export function helpersText(taken: readonly string[], reportsProgress: boolean): string {
  const shows = taken.includes(DISPLAY) ? '' : ` ${DISPLAY_TEXT}`;
  if (!reportsProgress || taken.includes(PROGRESS)) return shows;
  return `${shows} \`progress(text, fraction)\` tells the user how far the program is.`;
}

function adviceOf(ref: string | undefined) {
  return ref === undefined ? undefined : `later code gets all of it from ${OUTPUTS}.get("${ref}")`;
}

function fractionOf(fraction: unknown) {
  return typeof fraction === 'number' && fraction >= 0 && fraction <= 1 ? fraction : undefined;
}
