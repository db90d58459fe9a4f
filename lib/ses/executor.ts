import { ENDING } from '../contract/boundary-numbers';
import { NativeConnection, succeeded } from './native-connection';
import { describe } from '../contract/describe';
import { ExecutorError, abortedBeforeStart, reasonText } from '../contract/errors';
import { OFFER } from '../contract/executor';
import { needsInit } from '../contract/lifecycle';
import { defineEntries } from '../contract/logs';
import { checkOptions, checkRunOptions } from '../contract/options';
import { onAbort } from '../contract/signals';
import { SharedStartup } from '../contract/shared-startup';
import { flattenTools, refuseReservedName } from '../contract/tool-registry';
import { traceRun } from '../contract/tracing';
import { encodeVariables, namesOfVariables } from '../contract/variables';
import { readOutput } from './output';
import { encode, withoutWire } from './transfer';
import type { CodeOutput, ExecutorOptions, RunOptions, Tools } from '../../index';
import type { Outcome, PythonSeam } from './native-connection';

/** Runs agent-written JavaScript in a hardened isolate. Documented in `index.d.ts`. */
export class SESExecutor {
  #connection: NativeConnection;
  #renewal = new SharedStartup();
  /** Whether the isolate is new, and no run has said so. */
  #isRenewed = false;

  /** @param python for an isolate that runs Python; not part of the contract */
  constructor(options?: ExecutorOptions, python?: PythonSeam) {
    this.#connection = new NativeConnection(checkOptions(options), python);
  }

  get state() {
    return this.#connection.native.state;
  }

  get isolation() {
    return this.#connection.isolation;
  }

  /** For descriptions of what code can use; not part of the contract. */
  get [OFFER]() {
    return this.#connection.offer;
  }

  async init() {
    await this.#connection.init();
  }

  async sendVariables(variables: Record<string, unknown>) {
    const names = namesOfVariables(variables);
    for (const name of names) {
      if (name === 'final_answer') throw new TypeError('variables.final_answer must have another name: it is built in');
      refuseReservedName(name, 'variables');
    }
    const payload = encodeVariables(variables, names, this.#connection.maxTransferBytes, encodeList);
    const ready = this.#makeReady();
    if (ready !== undefined) await ready;
    await this.#connection.sendVariables(names, payload);
  }

  async sendTools(tools: Tools) {
    const functions = this.#connection.toolsFor(flattenTools(tools));
    const ready = this.#makeReady();
    if (ready !== undefined) await ready;
    const { native, tools: registry } = this.#connection;
    const { specs, commit } = registry.stage(functions);
    await this.#connection.call((call) => native.sendTools(call, specs), commit);
  }

  async run(code: string, options?: RunOptions) {
    if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
    return traceRun(this, code, () => this.#run(code, options));
  }

  async #run(code: string, options?: RunOptions) {
    const { maxOperations, toolTimeoutMs, signal, language, ...checked } = checkRunOptions(options);
    const timeoutMs = checked.timeoutMs ?? this.#connection.timeoutMs;
    const refuseIfAborted = () => {
      if (signal?.aborted) throw abortedBeforeStart(signal.reason, timeoutMs);
    };
    refuseIfAborted();
    const ready = this.#makeReady();
    if (ready !== undefined) await ready;
    refuseIfAborted();
    const core = this.#connection;
    const isFirst = this.#isRenewed;
    this.#isRenewed = false;
    const call = core.nextCall();
    const started = core.native.run(call, code, maxOperations, timeoutMs, toolTimeoutMs, language);
    const run = { toolTimeoutMs: toolTimeoutMs ?? core.toolTimeoutMs };
    const settled = core.settled(call, started, { run });
    const stopListening = signal && onAbort(signal, () => core.native.abort(call, reasonText(signal.reason)));
    try {
      const outcome = succeeded(await settled) as Outcome;
      const { maxTransferBytes, life } = core;
      const output = readOutput(outcome, { maxTransferBytes, timeoutMs, signal, life });
      const given = outputOf(outcome, output instanceof Promise ? await output : output);
      return isFirst ? Object.assign(given, { recovered: true }) : given;
    } catch (error) {
      if (isFirst && error instanceof ExecutorError) error.details = { ...error.details, recovered: true };
      throw error;
    } finally {
      stopListening?.();
    }
  }

  async cleanup() {
    this.#renewal.forget();
    this.#isRenewed = false;
    await this.#connection.cleanup();
  }

  /** Creates an isolate if there is no usable one and the options allow it. */
  #makeReady() {
    const core = this.#connection;
    if (this.#renewal.isUnderWay || (core.recovers && (this.state === 'DIRTY' || core.owesTools))) {
      this.#isRenewed = true;
      return this.#renewal.join(() => core.renew());
    }
    return core.autoInit && needsInit(this.state) ? core.init() : undefined;
  }
}
if (Symbol.asyncDispose !== undefined) {
  Object.defineProperty(SESExecutor.prototype, Symbol.asyncDispose, {
    value: SESExecutor.prototype.cleanup,
    writable: true,
    configurable: true,
  });
}

function encodeList(values: unknown[], path: string, maxBytes: number, shown: object) {
  return withoutWire(values, path, maxBytes) ?? encode(values, path, maxBytes, shown);
}

function outputOf({ ending, stats, logs, logIndex }: Outcome, output: unknown): CodeOutput {
  const outcome: any = { output, logs, is_final_answer: ending === ENDING.FINAL, logEntries: [], stats };
  return logIndex === undefined ? outcome : defineEntries(outcome, logs ?? '', logIndex, { enumerable: true });
}
