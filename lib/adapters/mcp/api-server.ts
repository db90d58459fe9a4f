import { callResult } from './result';
import { OUTPUT_SHAPE } from './output-shape';
import { Progress } from './progress';
import { z } from '../../bundled/mcp';
import { SandboxManager, anyState, registryFromOpenApi, renderSandboxPrompt } from '../../sandbox';
import { ManagerCalls } from '../../sandbox/calls';
import type { Served, ToolRequest } from './served';

/** Titles of the tools that models see. */
const TITLES = {
  search: 'Search the API',
  execute: 'Call the API from a program',
  mutate: 'Change the last result by a program',
} as const;

/**
 * Reads the document of an API. Returns a function that creates a session with the three tools of a `SandboxManager` for it.
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
  return { warnings: api.warnings, open: () => servedBy(new SandboxManager(options)), close: async () => {} };
}

function servedBy(manager: SandboxManager): Served {
  const calls = new ManagerCalls(manager);
  const tools = (Object.keys(TITLES) as (keyof typeof TITLES)[]).map((name) => ({
    name,
    title: TITLES[name],
    description: calls.descriptions[name],
    inputShape: { code: z.string().describe('The JavaScript program to run') },
    outputShape: OUTPUT_SHAPE,
    annotations: { readOnlyHint: name === 'search', openWorldHint: name !== 'search' },
    canBeTask: true as const,
    call: async ({ code }: { code: string }, request: ToolRequest) => {
      const progress = new Progress(request);
      try {
        const { content, ...told } = await calls.call(name, code, request.signal);
        return await callResult(told, { content });
      } finally {
        await progress.end();
      }
    },
  }));
  return { tools, instructions: renderSandboxPrompt(manager), close: () => manager.close() };
}
