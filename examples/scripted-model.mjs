// Plays a language model for the examples, without network or key: its turns are written down. The AI SDK around it is
// the real one.

import * as mocks from 'ai/test';

// AI SDK 7, or 6.
const MockLanguageModel = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3;

const TOKENS = { inputTokens: { total: 0 }, outputTokens: { total: 0 } };

/**
 * A model that answers each request with the next turn: code to run, or its last words.
 *
 * @param {string} toolName the tool that runs code
 * @param {({ code: string } | { text: string })[]} turns
 */
export function scriptedModel(toolName, turns) {
  return new MockLanguageModel({
    doGenerate: turns.map(({ code, text }, index) =>
      code === undefined
        ? { content: [{ type: 'text', text }], finishReason: { unified: 'stop' }, usage: TOKENS, warnings: [] }
        : {
            content: [
              {
                type: 'tool-call',
                toolCallId: `call-${index + 1}`,
                toolName,
                input: JSON.stringify({ code: code.trim() }),
              },
            ],
            finishReason: { unified: 'tool-calls' },
            usage: TOKENS,
            warnings: [],
          },
    ),
  });
}

/**
 * Prints what a step of the AI SDK was: code and what came of it, or the last words.
 *
 * @param {import('ai').StepResult<any>} step
 */
export function printStep({ content, text }) {
  for (const part of content) {
    if (part.type === 'tool-call') console.log(`--- the model calls ${part.toolName}\n${part.input.code}`);
    else if (part.type === 'tool-result') console.log('--- result\n%O\n', withoutData(part.output));
    else if (part.type === 'tool-error') console.log(`--- error\n${part.error.message}\n`);
  }
  if (text !== '') console.log(`--- the model answers\n${text}`);
}

/** The result without the data of images. */
export function withoutData({ content, ...result }) {
  return content === undefined ? result : { ...result, content: content.map(({ type }) => type) };
}
