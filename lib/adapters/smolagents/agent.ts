import { describe } from '../../contract/describe';
import { ExecutorError } from '../../contract/errors';
import { CodeParsingError, parseCodeBlobs, renderSystemPrompt } from '../prompts';
import { SmolagentsExecutor } from './executor';
import { withFileTools } from './file-tools';
import { failedObservation, formatErrorObservation } from './observation';
import type { Foreign } from '../../contract/foreign';
import type { ICodeExecutor } from '../../contract/executor-types';
import type { SmolagentsExecutorOptions } from './executor';

/** Options of a {@link JavaScriptCodeAgent} in addition to the configuration of the `CodeAgent`. */
export interface JavaScriptCodeAgentConfig {
  /**
   * The executor that runs the code. Default: a {@link SmolagentsExecutor} with the agent's tools and managed agents.
   */
  executor?: ICodeExecutor | undefined;
  /** Options of the default executor. */
  executor_options?: Omit<SmolagentsExecutorOptions, 'tools' | 'executor'> | undefined;
}

/** The class that {@link JavaScriptCodeAgent} returns: a `CodeAgent` with a different configuration. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as for `JavaScriptCodeAgent`
export type JavaScriptCodeAgentClass<Base extends abstract new (config: any) => any> = Omit<Base, 'prototype'> &
  (new (
    config: Omit<ConstructorParameters<Base>[0], keyof JavaScriptCodeAgentConfig> & JavaScriptCodeAgentConfig,
  ) => InstanceType<Base> & { cleanup(): Promise<void> });

/**
 * Returns a `CodeAgent` class of smolagents-ts whose model writes JavaScript. The agent has the JavaScript prompt, an
 * executor, and its tools and managed agents as functions. Errors of the code and answers without code become
 * observations, so that the model can correct itself. The `CodeAgent` itself ends in these cases.
 *
 * @example
 * ```js
 * const Agent = JavaScriptCodeAgent(CodeAgent);
 * const agent = new Agent({ model, tools: [search], executor_options: { timeoutMs: 30_000 } });
 * const answer = await agent.run('Which city grew most?');
 * await agent.cleanup();
 * ```
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a mixin accepts a class with any constructor
export function JavaScriptCodeAgent<Base extends abstract new (config: any) => any>(
  CodeAgent: Base,
): JavaScriptCodeAgentClass<Base> {
  if (typeof CodeAgent !== 'function') {
    throw new TypeError(`CodeAgent must be the class of smolagents-ts, got ${describe(CodeAgent)}`);
  }
  // Its fields and methods are those of smolagents-ts.
  const Agent: Foreign = CodeAgent;
  return class extends Agent {
    constructor({ executor, executor_options: options, ...given }: Foreign) {
      const config = { ...given, tools: withFileTools(given.tools, given) };
      const { authorized_imports: imports = [] } = config;
      const { authorizedImports = imports } = (executor === undefined && options) || {};
      const tools = [...(config.tools ?? []), ...(config.managed_agents ?? [])];
      const own = executor ?? new SmolagentsExecutor({ ...options, authorizedImports, tools });
      super({ ...config, authorized_imports: authorizedImports, executor: new ObservingExecutor(own) });
    }

    initialize_system_prompt() {
      // The constructor of the base class requests the prompt before it has set the fields that the prompt needs.
      if (this.code_block_tags === undefined) return '';
      return renderSystemPrompt({
        tools: this.tools,
        managedAgents: this.managed_agents,
        authorizedImports: this.authorized_imports,
        customInstructions: this.instructions,
        codeBlockTags: this.code_block_tags,
      });
    }

    async *_step_stream(step: Foreign) {
      const { executor } = this;
      const before = executor.programs;
      executor.codeOf = (code: string) => codeOf(step.model_output, this.code_block_tags, code);
      try {
        yield* super._step_stream(step);
      } catch (error) {
        // The model answered, but the agent found no code in the answer to send to the executor.
        if (typeof step.model_output !== 'string' || executor.programs !== before) throw error;
        const observation = formatErrorObservation(parsingError(step.model_output, this.code_block_tags));
        step.observations = observation;
        yield { output: undefined, is_final_answer: false, observation };
      }
    }

    async cleanup() {
      await this.executor.cleanup();
    }
  } as Foreign;
}

/**
 * Wraps an executor for the agent. A failure of the code becomes a log that describes it, because an error would end
 * the agent.
 */
class ObservingExecutor {
  #executor;
  /** The number of programs that the agent has begun to send. */
  programs = 0;
  /** The code that the model means, given the code that the agent has found. */
  codeOf = (code: string) => code;

  constructor(executor: ICodeExecutor) {
    this.#executor = executor;
  }

  init() {
    return this.#executor.init();
  }

  sendVariables(variables: Record<string, unknown>) {
    this.programs++;
    return this.#executor.sendVariables(variables);
  }

  sendTools(...tools: Parameters<ICodeExecutor['sendTools']>) {
    return Reflect.apply(this.#executor.sendTools, this.#executor, tools);
  }

  async run(code: string) {
    try {
      return await this.#executor.run(this.codeOf(code));
    } catch (error) {
      if (!(error instanceof ExecutorError) && !(error instanceof CodeParsingError)) throw error;
      return { output: undefined, logs: failedObservation(error), is_final_answer: false };
    }
  }

  cleanup() {
    return this.#executor.cleanup();
  }
}

/**
 * The agent looks for tags only. It finds drafts in the model's thoughts, and tags in strings.
 *
 * @throws {CodeParsingError}
 */
function codeOf(answer: unknown, tags: [string, string], found: string) {
  if (typeof answer !== 'string') return found;
  const code = parseCodeBlobs(answer, tags);
  const isSame = code.replace(/\s/g, '') === found.replace(/\s/g, '');
  return isSame ? found : code;
}

/** The reason why an answer has no code, in a message for a model that writes JavaScript. */
function parsingError(answer: string, tags: [string, string]) {
  try {
    parseCodeBlobs(answer, tags);
    return new Error(`The code of your answer must be between ${tags.join(' and ')}.`);
  } catch (error) {
    return error;
  }
}
