// `ses-executor/prompts`: the system prompt of appendix D.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import Handlebars from 'handlebars';
import { describe, expect, test } from 'vitest';

import {
  CODE_AGENT_SYSTEM_PROMPT,
  renderSystemPrompt,
  systemPromptVariables,
  toJavaScriptSignature,
} from 'ses-executor/prompts';

import { ROOT } from '../helpers.mjs';

/** Sections 14.2 and 14.3 of the specification, word by word. */
const fixture = (name) => readFileSync(join(ROOT, '__test__', 'adapters', 'fixtures', name), 'utf8').trimEnd();
const text = fixture('system-prompt.txt');
const examples = fixture('system-prompt-examples.txt').split('\n---\n');

const search = {
  name: 'search',
  description: 'Searches the web.',
  inputs: {
    query: { type: 'string', description: 'What to look for.' },
    limit: { type: 'integer', description: 'How many results.', default: 10 },
  },
  output_type: 'string',
};

/** As smolagents-ts fills templates in. */
const populate = (template, variables) => Handlebars.compile(template, { noEscape: true, strict: true })(variables);

describe('the template of the system prompt', () => {
  test('has the text of section 14.2 with every line in order', () => {
    let from = 0;
    for (const line of text.split('\n')) {
      const at = CODE_AGENT_SYSTEM_PROMPT.indexOf(`${line}\n`, from);
      expect(at, line).toBeGreaterThanOrEqual(from);
      from = at + line.length;
    }
    expect(CODE_AGENT_SYSTEM_PROMPT.startsWith(text.split('\n')[0])).toBe(true);
    expect(CODE_AGENT_SYSTEM_PROMPT.endsWith('\nNow Begin!\n')).toBe(true);
  });

  test('has the ten rules as one block', () => {
    const rules = text.slice(text.indexOf('Rules:\n1. '), text.indexOf('\n\n{{#if custom_instructions}}'));
    expect(rules.match(/^\d+\. /gm)).toHaveLength(10);
    expect(CODE_AGENT_SYSTEM_PROMPT).toContain(`\n${rules}\n`);
    expect(CODE_AGENT_SYSTEM_PROMPT).toContain(
      '\nVariables that you were given are read-only: copy one before you change it, with `[...rows]` or `structuredClone(value)`.\n',
    );
  });

  test.each(examples.map((example) => [example.split('\n')[0], example]))(
    'has the example of 14.3: %s',
    (_, example) => {
      expect(CODE_AGENT_SYSTEM_PROMPT).toContain(`---\n${example}\n`);
    },
  );

  test('has the placeholders of smolagents', () => {
    const placeholders = new Set(CODE_AGENT_SYSTEM_PROMPT.match(/\{\{\{?[#/]?\w+( \w+)?\}?\}\}/g));
    expect([...placeholders].sort()).toStrictEqual([
      '{{#if custom_instructions}}',
      '{{#if has_authorized_imports}}',
      '{{#if has_managed_agents}}',
      '{{/if}}',
      '{{authorized_imports}}',
      '{{code_block_closing_tag}}',
      '{{code_block_opening_tag}}',
      '{{custom_instructions}}',
      '{{{managed_agents_prompt}}}',
      '{{{tools_prompt}}}',
    ]);
  });
});

describe('renderSystemPrompt', () => {
  const cases = [
    ['nothing', {}],
    ['tools', { tools: [search] }],
    ['imports', { authorizedImports: ['units', 'a/b'] }],
    ['instructions', { customInstructions: 'Answer in verse: {{tools_prompt}} <b>&"\'' }],
    ['agents', { managedAgents: [{ name: 'researcher', description: 'Reads papers.' }] }],
    ['tags', { codeBlockTags: ['```js', '```'] }],
    ['all', {
      tools: new Map([['search', search]]),
      managedAgents: { researcher: { name: 'researcher' } },
      authorizedImports: ['units'],
      customInstructions: 'Be brief.\nBe exact.',
      codeBlockTags: ['<js>', '</js>'],
    }],
  ]; // prettier-ignore
  test.each(cases)('fills in templates as Handlebars does: %s', (_, options) => {
    const rendered = renderSystemPrompt(options);
    expect(rendered).toBe(populate(CODE_AGENT_SYSTEM_PROMPT, systemPromptVariables(options)));
    expect(rendered.replace(options.customInstructions, '')).not.toMatch(/\{\{/);
  });

  test('fills in other templates as Handlebars does', () => {
    const template =
      '{{#if has_managed_agents}}\r\nagents\n  {{/if}}  \n{{#if has_authorized_imports}}{{authorized_imports}}{{/if}}.\n' +
      ' {{#if custom_instructions}}\n{{#if has_authorized_imports}}\nboth {{{custom_instructions}}}\n{{/if}}\n{{/if}}';
    for (const [, options] of cases) {
      expect(renderSystemPrompt({ ...options, template })).toBe(populate(template, systemPromptVariables(options)));
    }
  });

  test('has defaults for all options', () => {
    const prompt = renderSystemPrompt();
    expect(prompt).toContain("The code block must start with '<code>' and end with '</code>'.\n");
    expect(prompt).toContain('\n8. You may import only from: [].\n');
    expect(prompt).not.toContain('team members');
    expect(prompt).not.toContain('await import(');
    expect(prompt).toContain(`You only have access to these tools:
<code>
/**
 * Provides the final answer to the task, and ends it.
 *
 * @param {any} answer The final answer.
 * @returns {never}
 */
function final_answer(answer) {}
</code>

Rules:
`);
  });

  test('lists tools in order, and final_answer at the end unless the agent has it as a tool', () => {
    const own = { name: 'final_answer', inputs: { answer: { type: 'any', description: 'The answer.' } } };
    const now = { name: 'now', output_type: 'string' };
    const { tools_prompt: added } = systemPromptVariables({ tools: [search, now] });
    expect(added.match(/^(async )?function \w+/gm)).toStrictEqual([
      'async function search',
      'async function now',
      'function final_answer',
    ]);
    const { tools_prompt: given } = systemPromptVariables({ tools: { own, now } });
    expect(given).toBe(`${toJavaScriptSignature(own)}\n\n${toJavaScriptSignature(now)}`);
  });

  test('lists imports and says how to write them', () => {
    const prompt = renderSystemPrompt({ authorizedImports: ['units', 'x-ok'] });
    expect(prompt).toContain('\n8. You may import only from: ["units","x-ok"].\n');
    expect(prompt).toContain(
      '\nImport a module with `await import("name")`: static import statements are not available.\n',
    );
  });

  test('lists managed agents', () => {
    const prompt = renderSystemPrompt({ managedAgents: [{ name: 'researcher', description: 'Reads papers.' }] });
    expect(prompt).toContain(`You can call these team members:
<code>
/**
 * Reads papers.
 *
 * @param {string} task Long and detailed description of the task.
 * @param {object | null} [additional_args] Additional inputs for the team member, by name: images, tables, any other context.
 * @returns {Promise<any>}
 */
async function researcher(task, additional_args = null) {}
</code>

Rules:
`);
  });

  test.each([
    [{ tool: [] }, TypeError, 'options.tool is not an option; did you mean options.tools?'],
    [{ tools: 5 }, TypeError, 'options.tools must be an array, or a map or object by name, got 5'],
    [{ tools: [5] }, TypeError, 'a tool must be an object with a name and inputs, got 5'],
    [{ codeBlockTags: ['<code>'] }, TypeError, 'options.codeBlockTags must be an array of the opening and the closing tag, got an array'],
    [{ codeBlockTags: ['<code>', ' '] }, TypeError, 'options.codeBlockTags must hold two strings that are not blank, got " "'],
    [{ customInstructions: 5 }, TypeError, 'options.customInstructions must be a string, got 5'],
    [{ template: 5 }, TypeError, 'options.template must be a string, got 5'],
    [{ template: '{{#if has_managed_agents}}' }, TypeError, 'the template has an {{#if}} without {{/if}}'],
    [{ template: '{{/if}}' }, TypeError, 'the template has an {{/if}} without {{#if}}'],
    [{ template: '{{tools}}' }, TypeError, /^the template uses "tools"; .* tools_prompt, .* Handlebars and systemPromptVariables\(options\)$/],
    [{ template: '{{#each tools}}' }, TypeError, /^the template uses "\{\{#each tools\}\}"; /],
  ])('refuses %j', (options, type, message) => {
    const render = () => renderSystemPrompt(options);
    expect(render).toThrow(type);
    expect(render).toThrow(typeof message === 'string' ? new type(message) : message);
  }); // prettier-ignore
});
