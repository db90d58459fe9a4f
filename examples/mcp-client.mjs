// `npm run demo:mcp-client`: a host of the Model Context Protocol that starts `ses-executor mcp` and calls its tools,
// as a model would. The calls are written down; server, client and files are real.

import { fileURLToPath } from 'node:url';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { DurableSession, memoryStore } from 'ses-executor/durable';
import { createMcpServer } from 'ses-executor/mcp';

import { MAP, partText } from './map.mjs';

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
for (const program of programs) await run(client, program.trim());

const { content } = await client.callTool({ name: 'reset', arguments: {} });
console.log(`--- reset\n${content[0].text}`);
await client.close();

// A server of a program. Its client asks the person about calls that need approval.
const executor = await DurableSession.open('warnings', { store: memoryStore(), executor: { typecheck: 'error' } });
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = {
  warn: { inputSchema: city, needsApproval: true, execute: async (input) => `sent to ${input.city}` },
  getMap: { inputSchema: city, execute: async () => ({ type: 'image', data: MAP, mimeType: 'image/png' }) },
};
const server = await createMcpServer({ executor, tools });
const asking = new Client({ name: 'example', version: '1.0.0' }, { capabilities: { elicitation: {} } });
asking.setRequestHandler(ElicitRequestSchema, ({ params: { message } }) => {
  console.log(`--- the person is asked\n${message}\n--- the person approves the plan\n`);
  return { action: 'accept', content: { decision: 'approve plan' } };
});
const [ours, theirs] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(ours), asking.connect(theirs)]);
await run(asking, 'await warn({ town: "Lagos" })');
await run(asking, 'await Promise.all(["Lagos", "Berlin"].map((city) => warn({ city })))');
await run(asking, 'display(await getMap({ city: "Lagos" }));\n"Lagos"');
await asking.close();
await server.close();

/** Calls the tool as a model would. */
async function run(caller, code) {
  const { content, isError } = await caller.callTool({ name: 'run_javascript', arguments: { code } });
  const text = content.map(partText).join('\n');
  console.log(`--- run_javascript\n${code}\n--- ${isError ? 'error' : 'result'}\n${text}\n`);
}
