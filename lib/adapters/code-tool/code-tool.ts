import { callables, declaredFunction } from './definition';
import { HELPER_PATHS, HelperState, RunHelpers, helpersText } from './helpers';
import { hostTools } from './host-tools';
import { languageOf } from './language';
import { Planner, RunPlan, refuseUnplannable } from './planner';
import { ProgressReports } from './run-progress';
import { OWN_OPTIONS, settingsOf } from './settings';
import { ToolCatalog } from './tool-catalog';
import { describe } from '../../contract/describe';
import { isExecutor, offerOf, programsOf, refuseOtherOptions } from '../../contract/executor';
import { isIdentifier } from '../../contract/identifiers';
import { NO_LIMIT, checkAnyLanguage, checkCodeToolOptions, checkSignal, record } from '../../contract/options';
import { modelReport } from '../../contract/model-text';
import { Session } from '../../contract/session';
import { TASK } from '../../contract/task-programs';
import { flattenTools } from '../../contract/tool-registry';
import { refuseWrongOptions } from '../../ses/check-options';
import { frontEndOf } from '../../ses/agent-program';
import { codeFrame } from '../../ses/code-frame';
import { SESExecutor } from '../../ses/executor';
import { PyodideExecutor } from '../../python';
import { checkPythonOptions, offerWith } from '../../python/options';
import type { Reporting } from '../../contract/model-text';
import type { Given } from '../../contract/options';
import type { CodeTool, CodeToolOptions, CodeToolResult } from './types';
import type { Executor, LogEntry } from '../../contract/executor-types';
import type { Offer } from '../../contract/executor';
import type { FrontEnd, Report } from '../../contract/session';
import type { PausedRun } from '../../contract/waiting-call';
import type { Answer } from '../../contract/waiting-types';
import type { Foreign } from '../../contract/foreign';

const CALL_OPTIONS = ['signal', 'context', 'answer', 'continues', 'onProgress'];

/**
 * The tool that lets a model call other tools from code. Also returns a function that writes its description with other
 * descriptions of these tools, by the names that code uses for them.
 *
 * @param known names of options that are not the executor's, for messages
 * @param reportsProgress whether each call has a reader of its progress
 */
export function makeCodeTool(
  options: CodeToolOptions,
  known: readonly string[] = OWN_OPTIONS,
  reportsProgress: boolean = false,
): { tool: CodeTool; describe: (descriptions: Record<string, string | undefined>) => string } {
  const given = settingsOf(options);
  const {
    tools,
    executor,
    name,
    description,
    maxOutputChars: _o,
    maxDeclarationChars: _d,
    approve,
    enforcePlan = false,
    ...executorOptions
  } = given;
  if (executor === undefined) refuseWrong(executorOptions, known);
  else refuseOtherOptionsOf(executor, executorOptions, known);
  for (const [key, value] of Object.entries({ approve, description })) {
    if (value === undefined || typeof value === 'function') continue;
    throw new TypeError(`options.${key} must be a function, got ${describe(value)}`);
  }
  if (name !== undefined && (typeof name !== 'string' || name === '')) {
    throw new TypeError(`options.name must be a non-empty string, got ${describe(name)}`);
  }
  const { maxOutputChars, maxDeclarationChars } = checkCodeToolOptions(given);
  if (typeof enforcePlan !== 'boolean') {
    throw new TypeError(`options.enforcePlan must be a boolean, got ${describe(enforcePlan)}`);
  }
  if (enforcePlan) refuseWithoutPlans(executor, executorOptions);
  const language = languageOf(given);
  const callable = callables(tools, language);
  const frontEnd = frontEndOf((typeof executor === 'function' ? undefined : executor?.language) ?? given.language);
  const sessions = executor === undefined ? undefined : new Sessions(executor, frontEnd);
  const offer = executor === undefined ? ownOffer(executorOptions) : callerOffer(callable, executor);
  const sent = (offer.tools ?? []).map((it) => {
    const name = it.path.join('.');
    return { name, declared: () => declaredFunction(name, it) };
  });
  const catalog = new ToolCatalog([...callable, ...sent], {
    language,
    maxChars: maxDeclarationChars,
    taken: offer.variables,
  });
  const lookups = flattenTools(catalog.tools).map(({ path }) => path);
  const ownNames = [...callable.map(({ name }) => name.split('.')[0]), ...lookups.map(([name]) => name)];
  const more = helpersText([...ownNames, ...(offer.variables ?? []), ...sent.map(({ name }) => name)], reportsProgress);
  const describeWith = (descriptions: Record<string, string | undefined>) => {
    const declarations = catalog.text(descriptions);
    return description?.(declarations) ?? language.description(declarations, sessions !== undefined, offer, more);
  };
  const planner = new Planner(
    callable.map((it) => it.name.split('.')),
    [...lookups, ...HELPER_PATHS.filter(([name]) => !ownNames.includes(name))],
  );
  const tool: CodeTool = {
    name: name ?? language.toolName,
    description: describeWith({}),
    inputSchema: {
      type: 'object',
      properties: { code: { type: 'string', description: `The program to run, in ${language.program}` } },
      required: ['code'],
      additionalProperties: false,
    },
    execute: async (code, of = {}) => {
      if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
      const { signal, context, answer, continues, onProgress } = record(of, 'options', CALL_OPTIONS);
      const task = of?.[TASK];
      checkSignal(signal);
      for (const [key, value] of Object.entries({ answer, onProgress })) {
        if (value === undefined || typeof value === 'function') continue;
        throw new TypeError(`options.${key} must be a function, got ${describe(value)}`);
      }
      if (continues !== undefined && typeof continues !== 'boolean') {
        throw new TypeError(`options.continues must be a boolean, got ${describe(continues)}`);
      }
      const progress = onProgress && new ProgressReports(onProgress, maxOutputChars);
      const shared = await sessions?.of(context);
      const own =
        shared?.session ??
        new Session(executorOf(withLog(executorOptions, progress)), { livesOn: false, codeFrame, frontEnd });
      const canAsk = approve !== undefined || sessions !== undefined;
      const plan = canAsk || enforcePlan ? new RunPlan(planner, code, enforcePlan) : undefined;
      const { tools, end } = hostTools(callable, { approve, plan, language, signal, context, progress });
      const helpers = new RunHelpers(code, {
        maxChars: maxOutputChars,
        state: shared?.helpers,
        earlier: () => shared && programsOf(shared.executor)?.texts,
        taken: () => [...ownNames, ...namesIn(shared?.executor)],
        onProgress: progress?.say,
      });
      try {
        const sent = { ...helpers.tools, ...tools, ...catalog.tools };
        const answered = answer && answerTo(answer);
        const { onEarlier } = helpers;
        const told = await own.run(code, { tools: sent, signal, answer: answered, continues, plan, onEarlier, task });
        return await resultOf(told, helpers.reporting);
      } finally {
        progress?.end();
        helpers.end();
        end();
        if (shared === undefined) await own.close();
      }
    },
    plan: async (code, of = {}) => {
      if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
      const { context } = record(of, 'options', ['context']);
      const given = await sessions?.executorOf(context);
      const program = await frontEnd(code, given !== undefined);
      if (given !== undefined) return planner.of(code, program, programsOf(given), offerOf(given));
      const { language: own, maxCodeBytes } = executorOptions;
      const known = own === 'python' ? undefined : { texts: [], options: { language: own, maxCodeBytes } };
      return planner.of(code, program, known, offer);
    },
  };
  return { tool, describe: describeWith };
}

/** Rejects options of the executor. Of executors that a function returns, only the language must be known before. */
function refuseOtherOptionsOf(executor: unknown, { language, ...others }: Foreign, known: readonly string[]) {
  if (typeof executor === 'function') checkAnyLanguage(language);
  refuseOtherOptions(typeof executor === 'function' ? others : { language, ...others }, known);
}

/**
 * @throws {TypeError} if runs cannot be held to their plans. The executor that a function returns is checked in each
 * call.
 */
function refuseWithoutPlans(executor: CodeToolOptions['executor'], { language }: Given) {
  if (executor === undefined && language === 'python') {
    throw new TypeError('options.enforcePlan needs JavaScript or TypeScript: Python programs have no plans');
  }
  if (executor !== undefined && typeof executor !== 'function') refuseUnplannable(executor, 'options.enforcePlan');
}

/** Rejects wrong options when the tool is created, so that they do not fail each call. */
function refuseWrong({ language, ...others }: Given, known: readonly string[]) {
  checkAnyLanguage(language);
  if (language === 'python') checkPythonOptions(undefined, others, known);
  else refuseWrongOptions({ language, ...others }, known);
}

function executorOf({ language, maxOperations = NO_LIMIT, ...others }: Given): Executor {
  if (language !== 'python') return new SESExecutor({ language, ...others, maxOperations });
  return new PyodideExecutor(undefined, pythonOptions(others));
}

/** Reports log lines, in addition to the caller's `onLog`. */
function withLog(options: Given, progress: ProgressReports | undefined): Given {
  if (progress === undefined) return options;
  const { onLog } = options;
  return {
    ...options,
    onLog: (entry: LogEntry) => {
      progress.log(entry);
      return onLog?.(entry);
    },
  };
}

/** The offer to code in an executor that `executorOf` creates. */
function ownOffer({ language, ...others }: Given): Offer {
  if (language === 'python') return offerWith(checkPythonOptions(undefined, pythonOptions(others)));
  return { imports: others.authorizedImports ?? [], globals: others.globals, network: others.network };
}

/** Options of a Python executor. It has no folder and no limit of operations unless the caller specifies one. */
function pythonOptions(options: Given) {
  const { mount = options.workDir !== undefined } = options;
  return { max_operations: NO_LIMIT, max_while_iterations: NO_LIMIT, ...options, mount };
}

/** The offer to code in the caller's executor: everything that has a known name and is not shadowed by a tool. */
function callerOffer(callable: { name: string }[], executor: NonNullable<CodeToolOptions['executor']>): Offer {
  if (typeof executor === 'function') return {};
  const { variables = [], tools = [], ...others } = offerOf(executor);
  const taken = new Set(callable.map(({ name }) => name.split('.')[0]));
  const sent = new Set(tools.map(({ path }) => path[0]));
  return {
    ...others,
    // A name that was sent both as a variable and as a tool is ambiguous.
    variables: variables.filter((name) => !taken.has(name) && !sent.has(name)),
    tools: tools.filter(({ path }) => !taken.has(path[0]) && !variables.includes(path[0]) && path.every(isIdentifier)),
  };
}

/** The sessions of the caller's executors. */
class Sessions {
  #executor;
  #frontEnd;
  #known: WeakMap<Executor, SharedSession> = new WeakMap();

  /** @param executor an executor, or a function that returns the executor of a call */
  constructor(executor: CodeToolOptions['executor'], frontEnd: FrontEnd) {
    this.#executor = executor;
    this.#frontEnd = frontEnd;
    if (typeof executor !== 'function') this.#sessionOf(executor, 'options.executor must be an executor');
  }

  async of(context: unknown): Promise<SharedSession> {
    if (typeof this.#executor !== 'function') return this.#sessionOf(this.#executor);
    return this.#sessionOf(await this.executorOf(context));
  }

  async executorOf(context: unknown): Promise<Executor> {
    if (typeof this.#executor !== 'function') return this.#executor as Executor;
    const executor = await this.#executor(context);
    this.#sessionOf(executor, 'options.executor must return an executor');
    return executor;
  }

  #sessionOf(executor: unknown, expected: string = ''): SharedSession {
    if (!isExecutor(executor)) throw new TypeError(`${expected}, got ${describe(executor)}`);
    const options = { livesOn: true, codeFrame, frontEnd: this.#frontEnd };
    const shared = this.#known.get(executor) ?? {
      executor,
      session: new Session(executor, options),
      helpers: HelperState.of(executor),
    };
    this.#known.set(executor, shared);
    return shared;
  }
}

/** A session in the caller's executor. */
interface SharedSession {
  executor: Executor;
  session: Session;
  helpers: HelperState;
}

/** The names that code in an executor uses for what its owner has sent. */
function namesIn(executor: Executor | undefined): readonly string[] {
  if (executor === undefined) return [];
  const { variables = [], tools = [] } = offerOf(executor);
  return [...variables, ...tools.map(({ path }) => path[0])];
}

/** @param answer the option `answer` of a call. Adapters also need what they have kept of the calls. */
function answerTo(answer: (calls: PausedRun['calls'], run: PausedRun) => Record<string, Answer> | undefined) {
  return (run: PausedRun) => answer(run.calls, run);
}

async function resultOf(report: Report, reporting: Reporting): Promise<CodeToolResult> {
  const { failure, text, logs, ...shown } = await modelReport(report, reporting);
  if (failure === undefined) return { ...shown, logs, text } as CodeToolResult;
  const { content } = shown;
  return { error: failure, logs, text, ...(content !== undefined && { content }) };
}
