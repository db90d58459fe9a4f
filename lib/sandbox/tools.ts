import { ModelOutput } from '../contract/ai-sdk-output';
import { describe, isPlainObject } from '../contract/describe';
import { modelReport } from '../contract/model-text';
import { record } from '../contract/options';
import { requirePeer } from '../contract/peer-dependency';
import { ManagerCalls } from './calls';
import { SandboxManager } from './manager';
import type { ContentBlock } from '../contract/content';
/** @ts-ignore: the type is `any` if `ai` is not installed. Only `createSandboxTools` needs it. */
import type { Tool } from 'ai';
import type { StandardSchemaV1, StateOf } from './state';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each host has its own context
export interface SandboxToolsOptions<State = unknown, Context = any> {
  context?: Context | undefined;
  /**
   * The style of programs. Default: the default of {@link ExecuteOptions.style}, with descriptions that ask for
   * `"sync"`.
   */
  style?: 'sync' | 'async' | undefined;
  /** The state before the first call, if `getState` is not set. */
  state?: State | undefined;
  /**
   * Returns the current state, if it is stored outside the tools. Awaited for up to `executionTimeoutMs`, like
   * `setState`.
   */
  getState?: (() => State | Promise<State>) | undefined;
  /** Called with each new state. */
  setState?: ((state: State) => void | Promise<void>) | undefined;
}

/** The result of a tool. `error` contains the information that a model needs to correct its program. */
export type SandboxToolResult =
  | {
      /** Has a description in the place of each image or file. */
      output: unknown;
      logs: string;
      /**
       * What the program has shown, and the images and files of the output. The model gets them as parts of the tool
       * result.
       */
      content?: readonly ContentBlock[];
    }
  | {
      error: {
        code: string;
        message: string;
        line?: number;
        column?: number;
        codeFrame?: string;
        hint: string;
        retryable: boolean;
      };
      logs: string;
      /** What the program has shown before it failed. */
      content?: readonly ContentBlock[];
    };

/**
 * The tools `search`, `execute` and `mutate` for the AI SDK. Calls of `execute` and `mutate` run in order, so that each
 * receives the state from the previous one. Needs `ai` and `zod`.
 */
export function createSandboxTools<Schema extends StandardSchemaV1, Context>(
  manager: SandboxManager<Schema, Context>,
  options?: SandboxToolsOptions<StateOf<Schema>, Context>,
): Record<'search' | 'execute' | 'mutate', Tool<{ code: string }, SandboxToolResult>> {
  if (!(manager instanceof SandboxManager)) {
    throw new TypeError(`manager must be a SandboxManager, got ${describe(manager)}`);
  }
  const given = record(options, 'options', ['context', 'style', 'state', 'getState', 'setState']);
  const { jsonSchema, tool } = requirePeer('createSandboxTools', 'ai zod', () => require('ai'));
  const calls = new ManagerCalls(manager, given);
  const { descriptions } = calls;
  const modelOutput = new ModelOutput();
  const toolOf = (name: 'search' | 'execute' | 'mutate') =>
    tool({
      description: descriptions[name],
      inputSchema: codeSchema(jsonSchema),
      execute: async ({ code }: { code: string }, call: { abortSignal?: AbortSignal }) => {
        modelOutput.called(call);
        const { content, ...told } = await calls.call(name, code, call.abortSignal);
        const { output, failure, logs, ...shown } = await modelReport(told, { content });
        const parts = shown.content === undefined ? {} : { content: shown.content };
        return failure === undefined ? { output, logs, ...parts } : { error: failure, logs, ...parts };
      },
      toModelOutput: modelOutput.of,
    });
  return { search: toolOf('search'), execute: toolOf('execute'), mutate: toolOf('mutate') };
}

function codeSchema(jsonSchema: typeof import('ai').jsonSchema) {
  return jsonSchema(
    {
      type: 'object',
      properties: { code: { type: 'string', description: 'The JavaScript program to run' } },
      required: ['code'],
      additionalProperties: false,
    },
    {
      validate: (value) =>
        isPlainObject(value) && typeof value.code === 'string'
          ? { success: true, value: { code: value.code } }
          : { success: false, error: new TypeError('the input must be an object with the string `code`') },
    },
  );
}
