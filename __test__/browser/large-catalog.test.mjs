// Code in a page finds functions that are too many for the description of a code tool.

import { expect, test } from 'vitest';

import { createCodeTool } from 'ses-executor/code-tool';

import { withBrowser } from './helpers.mjs';

test('code in a page finds and declares functions, with and without await', () =>
  withBrowser({}, {}, async (executor) => {
    const toolAt = (at) => ({
      description: `Reads the page ${at}.`,
      inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
      execute: ({ n }) => [at, n],
    });
    const tools = Object.fromEntries(Array.from({ length: 401 }, (_, at) => [`read_page_${at}`, toolAt(at)]));
    const { description, execute } = createCodeTool({ tools, executor });
    expect(description.length).toBeLessThanOrEqual(8_000);
    const code = `
      const found = tools.search('read page 77')[0].name;
      const same = (await tools.search('read page 77'))[0].name;
      [found, same, tools.describe(found), await read_page_77({ n: 1 })]`;
    const { output } = await execute(code);
    expect(output).toStrictEqual([
      'read_page_77',
      'read_page_77',
      '/** Reads the page 77. */\ndeclare function read_page_77(args?: { n?: number }): Promise<any>;',
      [77, 1],
    ]);
  }));
