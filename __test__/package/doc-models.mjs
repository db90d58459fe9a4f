// The pages about frameworks name models of providers. In tests the model alone is replaced, by one whose turns are
// written down here; the framework, the executor and the tools are real.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../helpers.mjs';

const DOUBLE = { code: 'await double_it({ n: 21 })', text: 'It is 42.' };
const example = (name) => readFileSync(join(ROOT, 'examples', name), 'utf8');

/** A provider of the AI SDK whose models answer with code for `tool`, then with `text`. */
function aiProvider(tool, { code, text }) {
  return `${example('scripted-model.mjs')}
export const openai = () => scriptedModel('${tool}', [{ code: ${JSON.stringify(code)} }, { text: ${JSON.stringify(text)} }]);`;
}

const PAGES = {
  'docs/guide/ai-sdk.md': {
    modules: {
      // The newest version.
      ai: "export * from 'ai-v7';",
      '@ai-sdk/openai': aiProvider('code', { code: 'await add({ a: 1, b: 2 })', text: '1 + 2 is 3.' }).replace(
        "'ai/test'",
        "'ai-v7/test'",
      ),
    },
  },
  'docs/guide/mastra.md': {
    modules: { '@ai-sdk/openai': aiProvider('code', DOUBLE) },
  },
  'docs/guide/openai-agents.md': {
    preload: `import { Usage, setDefaultModelProvider, setTracingDisabled } from '@openai/agents';
const turns = [
  { type: 'function_call', callId: 'call-1', name: 'run_javascript', arguments: JSON.stringify({ code: ${JSON.stringify(DOUBLE.code)} }) },
  { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: ${JSON.stringify(DOUBLE.text)} }] },
];
setTracingDisabled(true);
setDefaultModelProvider({ getModel: () => ({ getResponse: async () => ({ usage: new Usage(), output: [turns.shift()] }) }) });`,
  },
  'docs/guide/langchain.md': {
    modules: {
      '@langchain/openai': `import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
const turns = [
  { content: '', tool_calls: [{ id: 'call-1', name: 'run_javascript', args: { code: ${JSON.stringify(DOUBLE.code)} } }] },
  { content: ${JSON.stringify(DOUBLE.text)} },
];
export class ChatOpenAI extends BaseChatModel {
  _llmType() { return 'scripted'; }
  bindTools() { return this; }
  async _generate() {
    const message = new AIMessage(turns.shift());
    return { generations: [{ text: message.text, message }] };
  }
}`,
    },
  },
  'docs/guide/anthropic.md': {
    preload: `process.env.ANTHROPIC_API_KEY = 'none';
const turns = [
  { type: 'tool_use', id: 'call-1', name: 'run_javascript', input: { code: ${JSON.stringify(DOUBLE.code)} } },
  { type: 'text', text: ${JSON.stringify(DOUBLE.text)} },
];
globalThis.fetch = async () => {
  const part = turns.shift();
  return Response.json({
    id: 'message-1', type: 'message', role: 'assistant', model: 'scripted', content: [part],
    stop_reason: part.type === 'text' ? 'end_turn' : 'tool_use', stop_sequence: null, usage: { input_tokens: 0, output_tokens: 0 },
  });
};`,
  },
  // smolagents-ts is not on npm.
  'docs/guide/smolagents.md': {
    modules: {
      'smolagents-ts': `export * from ${JSON.stringify(join(ROOT, '__test__', 'adapters', 'code-agent.mjs'))};`,
      './agent-parts.mjs': `const answers = ['<code>const n = await count({ text: "pear" });</code>', '<code>final_answer(n)</code>'];
export const model = async () => answers.shift();
export const tools = [{
  name: 'count', description: 'Counts letters.', inputs: { text: { type: 'string', description: 'Any text.' } },
  output_type: 'integer', forward: async ({ text }) => text.length,
}];`,
    },
  },
};

/** @param {string} page its path */
export function standInsOf(page) {
  return { modules: {}, preload: undefined, ...PAGES[page] };
}
