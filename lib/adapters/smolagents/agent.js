// @ts-check
'use strict';

const { describe } = require('../../contract/describe');
const { ExecutorError } = require('../../contract/errors');
const { parseCodeBlobs, renderSystemPrompt } = require('../prompts');
const { SmolagentsExecutor } = require('./executor');
const { failedObservation, formatErrorObservation } = require('./observation');

/**
 * A `CodeAgent` whose model writes JavaScript. Documented in `index.d.ts`.
 *
 * @param {any} CodeAgent the class of smolagents-ts
 * @returns {any}
 */
function JavaScriptCodeAgent(CodeAgent) {
  if (typeof CodeAgent !== 'function') {
    throw new TypeError(`CodeAgent must be the class of smolagents-ts, got ${describe(CodeAgent)}`);
  }
  return class extends CodeAgent {
    /** @param {any} config */
    constructor({ executor, executor_options: options, ...config }) {
      const { authorized_imports: imports = [] } = config;
      const { authorizedImports = imports } = (executor === undefined && options) || {};
      const tools = [...(config.tools ?? []), ...(config.managed_agents ?? [])];
      const own = executor ?? new SmolagentsExecutor({ ...options, authorizedImports, tools });
      super({ ...config, authorized_imports: authorizedImports, executor: new ObservingExecutor(own) });
    }

    initialize_system_prompt() {
      // The constructor of the base class asks before it has made what the prompt is made of.
      if (this.code_block_tags === undefined) return '';
      return renderSystemPrompt({
        tools: this.tools,
        managedAgents: this.managed_agents,
        authorizedImports: this.authorized_imports,
        customInstructions: this.instructions,
        codeBlockTags: this.code_block_tags,
      });
    }

    /** @param {any} step */
    async *_step_stream(step) {
      const { executor } = this;
      const before = executor.programs;
      try {
        yield* super._step_stream(step);
      } catch (error) {
        // An answer came, and the agent found no code in it that it could send to the executor.
        if (typeof step.model_output !== 'string' || executor.programs !== before) throw error;
        const observation = formatErrorObservation(parsingError(step.model_output, this.code_block_tags));
        step.observations = observation;
        yield { output: undefined, is_final_answer: false, observation };
      }
    }

    async cleanup() {
      await this.executor.cleanup();
    }
  };
}

/** What the agent sees of an executor: a failure of the code is a log that tells it, since the agent ends at errors. */
class ObservingExecutor {
  #executor;
  /** Programs that the agent has begun to send. */
  programs = 0;

  /** @param {import('../../../index').ICodeExecutor} executor */
  constructor(executor) {
    this.#executor = executor;
  }

  init() {
    return this.#executor.init();
  }

  /** @param {Record<string, unknown>} variables */
  sendVariables(variables) {
    this.programs++;
    return this.#executor.sendVariables(variables);
  }

  /** @param {any[]} tools */
  sendTools(...tools) {
    return Reflect.apply(this.#executor.sendTools, this.#executor, tools);
  }

  /** @param {string} code */
  async run(code) {
    try {
      return await this.#executor.run(code);
    } catch (error) {
      if (!(error instanceof ExecutorError)) throw error;
      return { output: undefined, logs: failedObservation(error), is_final_answer: false };
    }
  }

  cleanup() {
    return this.#executor.cleanup();
  }
}

/**
 * Why an answer has no code, in words for a model that writes JavaScript.
 *
 * @param {string} answer
 * @param {[string, string]} tags
 */
function parsingError(answer, tags) {
  try {
    parseCodeBlobs(answer, tags);
    return new Error(`The code of your answer must be between ${tags.join(' and ')}.`);
  } catch (error) {
    return error;
  }
}

module.exports = { JavaScriptCodeAgent };
