import { codeFrame } from './code-frame';
import { programText } from './program-text';
import { abortedBeforeStart, errorOf } from '../contract/errors';
import { onAbort } from '../contract/signals';
import type { Diagnostic } from '../contract/diagnostic';
import type { ExecutorError, ExecutorErrorDetails } from '../contract/errors';
import type { Language } from '../contract/executor-options';
import type { TypeCheck } from '../contract/options';
import type { Tool } from '../contract/tool-registry';
import type { NativeConnection } from './native-connection';
import type { CheckedProgram, TypeSession } from '../typecheck/session';

/** Loaded lazily: most executors check no types. */
export const typecheck = () => ({
  ...(require('../typecheck/session') as typeof import('../typecheck/session')),
  ...(require('../typecheck/report') as typeof import('../typecheck/report')),
  ...(require('../typecheck/value-types') as typeof import('../typecheck/value-types')),
});

/** A program that may run, and what its author should know about it. */
export interface Verdict {
  warnings: Diagnostic[];
  program?: CheckedProgram;
}

/** What a program is checked for. */
export interface CheckedRun {
  /** The code that was passed to `run()`. */
  code: string;
  mode: TypeCheck;
  language: Language;
  signal: AbortSignal | undefined;
  timeoutMs: number;
}

/** Checks the programs of one executor before they run. */
export class TypeChecks {
  #core;
  #session: TypeSession | undefined;
  #hasRun = false;
  /** What a session has to know that is sent before it is made. */
  #coming: Set<(session: TypeSession) => void> = new Set();
  /** The check under way. Later calls of the executor wait for it, so that they keep their order. */
  underWay: Promise<unknown> | undefined;

  /** @throws {Error} if types are checked by default and TypeScript is not installed */
  constructor(core: NativeConnection, mode: TypeCheck) {
    this.#core = core;
    if (mode !== 'off') this.#started();
  }

  /** @returns undefined if the program is not checked */
  check(run: CheckedRun): Promise<Verdict> | undefined {
    if (run.mode === 'off' && this.underWay === undefined) return undefined;
    const checking = this.#afterEarlierChecks(() => this.#check(run));
    this.underWay = checking;
    const done = () => {
      if (this.underWay === checking) this.underWay = undefined;
    };
    checking.then(done, done);
    return checking;
  }

  /** Types of variables, which are read when the variables are. Undefined if nothing is checked yet. */
  typesOf(variables: Record<string, unknown>, names: readonly string[]): Map<string, string> | undefined {
    if (this.#session === undefined) return undefined;
    const { typeOfValue } = typecheck();
    return new Map(names.map((name) => [name, typeOfValue(variables[name])]));
  }

  /**
   * The isolate gets variables. Programs that are checked meanwhile run after that.
   *
   * @param types what {@link typesOf} has returned
   */
  sendingVariables<T>(sent: Promise<T>, names: readonly string[], types: Map<string, string> | undefined) {
    const unknown = () => new Map(names.map((name) => [name, 'any']));
    return this.#sending(
      sent,
      (session) => session.setVariables(types ?? unknown()),
      (session) => session.setVariables(unknown()),
    );
  }

  /** The isolate gets tools. Programs that are checked meanwhile run after that. */
  sendingTools<T>(sent: Promise<T>, tools: readonly Tool[]) {
    return this.#sending(
      sent,
      (session) => session.setTools(tools),
      (session) => session.setTools(this.#core.tools.list()),
    );
  }

  async #sending<T>(sent: Promise<T>, tell: (session: TypeSession) => void, undo: (session: TypeSession) => void) {
    const session = this.#session;
    if (session === undefined) this.#coming.add(tell);
    else tell(session);
    try {
      return await sent;
    } catch (error) {
      if (this.#session !== undefined) undo(this.#session);
      throw error;
    } finally {
      this.#coming.delete(tell);
    }
  }

  hasTools(tools: readonly Tool[]) {
    this.#session?.setTools(tools);
  }

  /** Tools that the guest keeps have other definitions. */
  hasOtherTools(tools: readonly Tool[]) {
    this.#session?.redefineTools(tools);
  }

  /** The isolate has ended. */
  reset() {
    this.#session?.reset();
    this.#hasRun = false;
  }

  /**
   * A program begins.
   *
   * @returns called with the failure of the program
   */
  begin(verdict: Verdict | undefined): ((error: ExecutorError) => void) | undefined {
    this.#hasRun = true;
    const session = this.#session;
    if (verdict?.program === undefined || session === undefined) {
      session?.addUnknown();
      return undefined;
    }
    const adding = session.add(verdict.program);
    return ({ code }) => {
      if (code === 'ERR_VALIDATION_FAILED' || code === 'ERR_INVALID_STATE') session.remove(adding);
      else session.fail(adding);
    };
  }

  async #afterEarlierChecks<T>(work: () => Promise<T>): Promise<T> {
    await this.underWay?.catch(() => {});
    return work();
  }

  async #check({ code, mode, language, signal, timeoutMs }: CheckedRun): Promise<Verdict> {
    if (mode === 'off') return { warnings: [] };
    // Positions in it are those of the code with its fences.
    const { code: source } = programText(code);
    const checked = await unlessAborted(this.#started().check(source, language), signal, timeoutMs);
    const { diagnosticsOf, notChecked } = typecheck();
    if ('skipped' in checked) return { warnings: [notChecked(checked.skipped)] };
    const severity = mode === 'error' ? 'ERROR' : 'WARNING';
    const diagnostics = diagnosticsOf(checked.findings, source, severity, this.#core.surroundings);
    const [first] = diagnostics;
    if (first === undefined || mode === 'warn') return { warnings: diagnostics, program: checked.program };
    const { line, column } = first.location ?? { line: 1, column: 1 };
    throw errorOf(
      'ERR_VALIDATION_FAILED',
      {},
      { diagnostics, codeFrame: codeFrame(code, line, column, first.message) },
    );
  }

  /** The session, which knows what the guests already have. */
  #started(): TypeSession {
    if (this.#session !== undefined) return this.#session;
    const { modules, imports, globals, language, tools, variables, recording } = this.#core;
    const session = new (typecheck().TypeSession)(modules, imports, language, globals);
    session.setVariables(new Map([...variables].map((name) => [name, 'any'])));
    session.setTools(tools.list());
    for (const tell of this.#coming) tell(session);
    // What was declared before is not known.
    if (this.#hasRun || recording?.isRestored) session.addUnknown();
    this.#session = session;
    return session;
  }
}

/** One line for each warning, for the log of a run. */
export function warningText(warnings: readonly Diagnostic[]): string | undefined {
  if (warnings.length === 0) return undefined;
  return warnings
    .map(({ message, location, fix }) => {
      const place = location === undefined ? '' : `Line ${location.line}: `;
      return `${place}${message}${fix === undefined ? '' : ` (${fix})`}`;
    })
    .join('\n');
}

/** Adds warnings to the findings of a failure. */
export function withWarnings(
  details: ExecutorErrorDetails | undefined,
  warnings: readonly Diagnostic[],
): ExecutorErrorDetails | undefined {
  if (warnings.length === 0) return details;
  return { ...details, diagnostics: [...(details?.diagnostics ?? []), ...warnings] };
}

/** @throws {ExecutorError} if the signal is aborted first */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined, timeoutMs: number): Promise<T> {
  if (signal === undefined) return work;
  let stopListening: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stopListening = onAbort(signal, () => reject(abortedBeforeStart(signal.reason, timeoutMs)));
  });
  return Promise.race([work, aborted]).finally(stopListening);
}
