import { toPythonTools } from './tools';
import { PyodideExecutor } from '../../python';
import { checkPythonOptions } from '../../python/options';
import type { Tools } from '../../contract/tool-types';
import type { PythonSmolagentsExecutorOptions, SmolagentsTools } from './api';
import type { PythonRunOptions } from '../../python/options';

/** Options that are not options of the executor. */
const OWN_OPTIONS = ['tools', 'language'];

/** The executor of a `CodeAgent` that writes Python. Documented in `api.d.ts`. */
export class PythonSmolagentsExecutor extends PyodideExecutor {
  #ownTools: Tools;
  #starting: Promise<void> | undefined;

  constructor({ tools = [], language: _, ...options }: PythonSmolagentsExecutorOptions) {
    checkPythonOptions(undefined, options, OWN_OPTIONS);
    super(undefined, options);
    this.#ownTools = toPythonTools(tools);
  }

  /** Sends the tools of the options to each new interpreter. */
  init() {
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  async sendTools(tools: SmolagentsTools, pythonTools: Record<string, string> = {}) {
    const functions = toPythonTools(tools);
    const sources = { ...pythonTools };
    for (const name of Object.keys(this.#ownTools)) {
      delete functions[name];
      delete sources[name];
    }
    await super.sendTools(functions, sources);
  }

  async run(code: string, options?: PythonRunOptions) {
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
