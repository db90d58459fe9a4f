import type { Foreign } from '../../contract/foreign';

/**
 * What version 2 of the SDK gets in place of the result of these requests. Its schemas check all parts of a result in
 * one step. Callers check the results in slices.
 */
const PLACEHOLDERS: Record<string, object> = {
  'tools/call': { content: [] },
  'tools/list': { tools: [] },
  'resources/list': { resources: [] },
  'resources/templates/list': { resourceTemplates: [] },
  'resources/read': { contents: [] },
  'prompts/list': { prompts: [] },
  'prompts/get': { messages: [] },
};
/** What lists and resources of protocol 2026-07-28 must have. */
const UNCACHED = { ttlMs: 0, cacheScope: 'private' };
const PLACE = 'ses-executor/result';

const FAILED = -32_000;

/** A result that schemas do not look into. */
class Held {
  readonly result: Foreign;

  constructor(result: Foreign) {
    this.result = result;
  }
}

/** The answer as version 2 of the SDK gets it. `resultOf` returns the result of the server. */
export function heldAnswer(answer: Foreign, { id, method }: Foreign): Foreign {
  const { result } = answer;
  if (result === undefined) return answer;
  if (result.resultType !== undefined && result.resultType !== 'complete') {
    return failedAnswer(id, 'the server asks for input or starts a task, which code cannot use');
  }
  const placeholder = PLACEHOLDERS[method];
  if (placeholder === undefined) return answer;
  const held = { ...placeholder, ...UNCACHED, resultType: 'complete', _meta: { [PLACE]: new Held(result) } };
  return { jsonrpc: '2.0', id, result: held };
}

/** The result that the SDK has a placeholder for. */
export function resultOf(result: Foreign): Foreign {
  const held = result?._meta?.[PLACE];
  return held instanceof Held ? held.result : result;
}

export function failedAnswer(id: Foreign, message: string): Foreign {
  return { jsonrpc: '2.0', id, error: { code: FAILED, message } };
}
