import { toPythonTools } from './tools';
import { PyodideExecutor } from '../../python';
import { checkPythonOptions } from '../../python/options';
import type { Tools } from '../../contract/tool-types';
import type { PyodideExecutorOptions, PythonRunOptions } from '../../python';
import type { CodeOutput } from '../../contract/executor-types';
import type { SmolagentsTools } from './tool-types';

/** Options of an executor for agents that write Python. */
export interface PythonSmolagentsExecutorOptions extends PyodideExecutorOptions {
  language: 'python';
  /** See {@link SmolagentsExecutorOptions.tools}. */
  tools?: SmolagentsTools | undefined;
}

/** Options that are not options of the executor. */
const OWN_OPTIONS = ['tools', 'language'];

/** Options that ask for a folder. */
const ASKING = ['workDir', 'mountPoint', 'directoryHandle'] as const;

/**
 * The type of `new SmolagentsExecutor({ language: 'python' })`: a `PyodideExecutor` that accepts Tool objects. Python
 * code calls tools as functions, with positional or keyword arguments. No folder is mounted unless `workDir`,
 * `mountPoint` or `mount: true` asks for one.
 */
export class PythonSmolagentsExecutor extends PyodideExecutor {
  #ownTools: Tools;
  #starting: Promise<void> | undefined;

  constructor({ tools = [], language: _, ...options }: PythonSmolagentsExecutorOptions) {
    checkPythonOptions(undefined, options, OWN_OPTIONS);
    // Agents that need no files get none.
    const mount = options.mount ?? ASKING.some((name) => options[name] !== undefined);
    super(undefined, { ...options, mount });
    this.#ownTools = toPythonTools(tools);
  }

  /** Sends the tools of the options to each new interpreter. */
  init(): Promise<void> {
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  async sendTools(tools: SmolagentsTools, pythonTools: Readonly<Record<string, string>> = {}): Promise<void> {
    const functions = toPythonTools(tools);
    const sources = { ...pythonTools };
    for (const name of Object.keys(this.#ownTools)) {
      delete functions[name];
      delete sources[name];
    }
    await super.sendTools(functions, sources);
  }

  async run(code: string, options?: PythonRunOptions): Promise<CodeOutput> {
    const output = await super.run(code, options);
    // The agent's own type has three fields.
    for (const extra of ['logEntries', 'stats']) Object.defineProperty(output, extra, { enumerable: false });
    return output;
  }

  async #start() {
    const isNew = this.state !== 'READY';
    await super.init();
    if (isNew) await super.sendTools(this.#ownTools);
  }
}
