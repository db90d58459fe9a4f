import { callResult } from './result';
import { OUTPUT_SHAPE } from './output-shape';
import { Progress } from './progress';
import { McpServer, z } from '../../bundled/mcp';
import { SandboxManager, anyState, registryFromOpenApi, renderSandboxPrompt } from '../../sandbox';
import { ManagerCalls } from '../../sandbox/calls';
import { version } from '../../../package.json';
import type { Foreign } from '../../contract/foreign';

/** Titles of the tools that models see. */
const TITLES = {
  search: 'Search the API',
  execute: 'Call the API from a program',
  mutate: 'Change the last result by a program',
} as const;

/**
 * Reads the document of an API. Returns a function that creates an MCP server with the three tools of a `SandboxManager` for
 * it.
 *
 * @param options.document OpenAPI document in JSON or YAML
 * @param options.headers headers of each request
 * @param options.credentials by security scheme
 * @param options.readFile reads other files of the document
 */
export async function createApiServers({
  document,
  baseUrl,
  headers,
  credentials,
  readFile,
  timeoutMs,
  memoryLimitMb,
  maxOperations,
}: {
  document: string;
  baseUrl?: string;
  headers: Record<string, string>;
  credentials?: Record<string, string>;
  readFile?: (path: string) => Promise<string>;
  timeoutMs?: number;
  memoryLimitMb?: number;
  maxOperations?: number;
}) {
  const api = await registryFromOpenApi(document, { baseUrl, headers, credentials, readFile });
  const options = { ...api, stateSchema: anyState, executionTimeoutMs: timeoutMs, memoryLimitMb, maxOperations };
  return { warnings: api.warnings, open: () => serverOf(new SandboxManager(options)), close: async () => {} };
}

function serverOf(manager: SandboxManager) {
  const calls = new ManagerCalls(manager);
  const server = new McpServer({ name: 'ses-executor', version }, { instructions: renderSandboxPrompt(manager) });
  for (const name of Object.keys(TITLES) as (keyof typeof TITLES)[]) {
    server.registerTool(
      name,
      {
        title: TITLES[name],
        description: calls.descriptions[name],
        inputSchema: { code: z.string().describe('The JavaScript program to run') },
        outputSchema: OUTPUT_SHAPE,
        annotations: { readOnlyHint: name === 'search', openWorldHint: name !== 'search' },
      },
      async ({ code }: { code: string }, extra: Foreign) => {
        const progress = new Progress(extra);
        try {
          return await callResult(await calls.call(name, code, extra.signal));
        } finally {
          await progress.end();
        }
      },
    );
  }
  return { server, close: () => manager.close() };
}
