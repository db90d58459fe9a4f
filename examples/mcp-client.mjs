// `npm run demo:mcp-client`: a host of the Model Context Protocol that starts `ses-executor mcp` and calls its tools, as
// a model would. The calls are written down; server, client and files are real.

import { fileURLToPath } from 'node:url';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const bin = fileURLToPath(new URL('../bin/ses-executor.js', import.meta.url));

const client = new Client({ name: 'example', version: '1.0.0' });
// As a host is configured: { "command": "npx", "args": ["ses-executor", "mcp", "--root", "..."] }.
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp', '--root', here, '--read-only', '--timeout', '5000'],
  }),
);
console.log(`--- instructions of the server\n${client.getInstructions()}\n`);

const programs = [
  `
const { content } = await read({ path: 'hello.js' });
const program = content[0].text;
program.length > 0`,
  `
const lines = program.trim().split('\\n');
console.log(lines.at(-1));
lines.lenght.toFixed()`,
  `lines.length`,
];
for (const program of programs) {
  const code = program.trim();
  const { content, isError } = await client.callTool({ name: 'run_javascript', arguments: { code } });
  console.log(`--- run_javascript\n${code}\n--- ${isError ? 'error' : 'result'}\n${content[0].text}\n`);
}

const { content } = await client.callTool({ name: 'reset', arguments: {} });
console.log(`--- reset\n${content[0].text}`);
await client.close();
