import type { Foreign } from '../../contract/foreign';

/** The context in which a run of code calls the tools. */
export interface RunOfCode {
  runContext: Foreign;
  /** Undefined outside of a run of an agent. */
  agent: Foreign;
  /** Ends the run of the code. */
  stop: (tripwire: unknown) => void;
}

/** Runs the guardrails of function tools. The runner of the SDK runs them; the tools themselves do not. */
export class Guardrails {
  #runInput;
  #runOutput;
  #tripwires;

  /** @param sdk the module `@openai/agents` */
  constructor(sdk: Foreign) {
    this.#runInput = sdk.runToolInputGuardrails;
    this.#runOutput = sdk.runToolOutputGuardrails;
    const { ToolInputGuardrailTripwireTriggered, ToolOutputGuardrailTripwireTriggered } = sdk;
    this.#tripwires = [ToolInputGuardrailTripwireTriggered, ToolOutputGuardrailTripwireTriggered];
  }

  /**
   * @throws {Error} if the tool has guardrails and this version of the SDK does not export the functions that run
   *   them
   */
  mustBeKnown(name: string, { inputGuardrails = [], outputGuardrails = [] }: Foreign) {
    const isKnown = typeof this.#runInput === 'function' && typeof this.#runOutput === 'function';
    if (isKnown || inputGuardrails.length + outputGuardrails.length === 0) return;
    throw new Error(
      `the tool ${name} has guardrails, which cannot be run with this version of @openai/agents; run: npm install @openai/agents@latest`,
    );
  }

  /**
   * Returns the result of a tool, called between its input and output guardrails.
   *
   * @throws {Error} with the guardrail's message if a guardrail rejects the call or the result
   */
  async around(tool: Foreign, toolCall: object, { runContext, agent, stop }: RunOfCode, invoke: () => unknown) {
    const { inputGuardrails = [], outputGuardrails = [] } = tool;
    const call = { context: runContext, agent, toolCall, onResult: throwRejected };
    try {
      if (inputGuardrails.length > 0) await this.#runInput({ ...call, guardrails: inputGuardrails });
      const toolOutput = await invoke();
      if (outputGuardrails.length > 0) await this.#runOutput({ ...call, guardrails: outputGuardrails, toolOutput });
      return toolOutput;
    } catch (error) {
      if (this.isTripwire(error)) stop(error);
      throw error;
    }
  }

  /** @param error an error that may have to end the run of the agent */
  isTripwire(error: unknown) {
    return this.#tripwires.some((Tripwire) => typeof Tripwire === 'function' && error instanceof Tripwire);
  }
}

/**
 * Throws the message of a rejection, so that code cannot mistake it for a result.
 *
 * @param result the result of a guardrail
 */
function throwRejected({ output: { behavior } }: Foreign) {
  if (behavior.type === 'rejectContent') throw Object.assign(new Error(behavior.message), { name: 'GuardrailError' });
}
