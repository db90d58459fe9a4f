/** What a run of code calls the tools with. */
export interface RunOfCode {
  runContext: any;
  /** undefined outside of a run of an agent */
  agent: any;
  /** ends the run of the code */
  stop: (tripwire: unknown) => void;
}

/** The guardrails of function tools, which the runner of the SDK runs, and not the tools themselves. */
export class Guardrails {
  #runInput;
  #runOutput;
  #tripwires;

  /** @param sdk `@openai/agents` */
  constructor(sdk: any) {
    this.#runInput = sdk.runToolInputGuardrails;
    this.#runOutput = sdk.runToolOutputGuardrails;
    const { ToolInputGuardrailTripwireTriggered, ToolOutputGuardrailTripwireTriggered } = sdk;
    this.#tripwires = [ToolInputGuardrailTripwireTriggered, ToolOutputGuardrailTripwireTriggered];
  }

  /** @throws {Error} if the tool has guardrails that this version of the SDK does not let others run */
  mustBeKnown(name: string, { inputGuardrails = [], outputGuardrails = [] }: any) {
    const isKnown = typeof this.#runInput === 'function' && typeof this.#runOutput === 'function';
    if (isKnown || inputGuardrails.length + outputGuardrails.length === 0) return;
    throw new Error(
      `the tool ${name} has guardrails, which cannot be run with this version of @openai/agents; run: npm install @openai/agents@latest`,
    );
  }

  /**
   * What a tool gives, between its guardrails.
   *
   * @throws {Error} what a guardrail says of a call or a result that it rejects
   */
  async around(tool: any, toolCall: object, { runContext, agent, stop }: RunOfCode, invoke: () => unknown) {
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

  /** @param error whether it has to end the run of the agent */
  isTripwire(error: unknown) {
    return this.#tripwires.some((Tripwire) => typeof Tripwire === 'function' && error instanceof Tripwire);
  }
}

/**
 * Code must not take the message of a rejection for a result.
 *
 * @param result of a guardrail
 */
function throwRejected({ output: { behavior } }: any) {
  if (behavior.type === 'rejectContent') throw Object.assign(new Error(behavior.message), { name: 'GuardrailError' });
}
