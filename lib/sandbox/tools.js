// @ts-check
'use strict';

const { describe, isPlainObject } = require('../contract/describe');
const { modelFailure, modelLogs, modelValue } = require('../contract/model-text');
const { record } = require('../contract/options');
const { requirePeer } = require('../contract/peer-dependency');
const { SandboxCalls } = require('./calls');
const { SandboxManager } = require('./manager');

/**
 * The tools by which a model uses a manager, for the AI SDK. Documented in `index.d.ts`.
 *
 * @param {SandboxManager} manager
 * @param {unknown} [options]
 */
function createSandboxTools(manager, options) {
  if (!(manager instanceof SandboxManager)) {
    throw new TypeError(`manager must be a SandboxManager, got ${describe(manager)}`);
  }
  const given = record(options, 'options', ['context', 'style', 'state', 'getState', 'setState']);
  const { jsonSchema, tool } = requirePeer('createSandboxTools', 'ai zod', () => require('ai'));
  const calls = new SandboxCalls(/** @type {any} */ (manager), given);
  const { descriptions } = calls;
  const toolOf = (/** @type {'search' | 'execute' | 'mutate'} */ name) =>
    tool({
      description: descriptions[name],
      inputSchema: codeSchema(jsonSchema),
      execute: async (/** @type {{ code: string }} */ { code }, { abortSignal }) => {
        const { output, failure, logs } = await calls.call(name, code, abortSignal);
        const shown = modelLogs(logs);
        return failure === undefined
          ? { output: modelValue(output), logs: shown }
          : { error: modelFailure(failure), logs: shown };
      },
    });
  return { search: toolOf('search'), execute: toolOf('execute'), mutate: toolOf('mutate') };
}

/** @param {typeof import('ai').jsonSchema} jsonSchema */
function codeSchema(jsonSchema) {
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

module.exports = { createSandboxTools };
