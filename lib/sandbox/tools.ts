import { describe, isPlainObject } from '../contract/describe';
import { modelReport } from '../contract/model-text';
import { record } from '../contract/options';
import { requirePeer } from '../contract/peer-dependency';
import { SandboxCalls } from './calls';
import { SandboxManager } from './manager';

/** The tools through which a model uses a manager, for the AI SDK. Documented in `api.d.ts`. */
export function createSandboxTools(manager: SandboxManager, options?: unknown) {
  if (!(manager instanceof SandboxManager)) {
    throw new TypeError(`manager must be a SandboxManager, got ${describe(manager)}`);
  }
  const given = record(options, 'options', ['context', 'style', 'state', 'getState', 'setState']);
  const { jsonSchema, tool } = requirePeer('createSandboxTools', 'ai zod', () => require('ai'));
  const calls = new SandboxCalls(manager as any, given);
  const { descriptions } = calls;
  const toolOf = (name: 'search' | 'execute' | 'mutate') =>
    tool({
      description: descriptions[name],
      inputSchema: codeSchema(jsonSchema),
      execute: async ({ code }: { code: string }, { abortSignal }: { abortSignal?: AbortSignal }) => {
        const { output, failure, logs } = await modelReport(await calls.call(name, code, abortSignal));
        return failure === undefined ? { output, logs } : { error: failure, logs };
      },
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
