import { callResult } from './result';
import { OUTPUT_SHAPE } from './output-shape';
import { Progress } from './progress';
import { z } from '../../bundled/mcp';
import { SandboxManager, anyState, registryFromOpenApi, renderSandboxPrompt } from '../../sandbox';
import { ManagerCalls } from '../../sandbox/calls';
import type { Served, ToolRequest } from './served';
import type { ExecutorOptions } from '../../contract/executor-options';

/** Titles of the tools that models see. */
const TITLES = {
  search: 'Search the API',
  execute: 'Call the API from a program',
  mutate: 'Change the last result by a program',
} as const;

/**
 * Reads the document of an API. Returns a function that creates a session with the three tools of a `SandboxManager`
 * for it.
 *
 * @param options.document OpenAPI document in JSON or YAML
 * @param options.headers headers of each request
 * @param options.credentials by security scheme
 * @param options.readFile reads other files of the document
 * @param options.remote the fleet that runs the programs; absent: threads of this process run them
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
  remote,
}: {
  document: string;
  baseUrl?: string;
  headers: Record<string, string>;
  credentials?: Record<string, string>;
  readFile?: (path: string) => Promise<string>;
  timeoutMs?: number;
  memoryLimitMb?: number;
  maxOperations?: number;
  remote?: ExecutorOptions['remote'];
}) {
  const api = await registryFromOpenApi(document, { baseUrl, headers, credentials, readFile });
  const limits = { executionTimeoutMs: timeoutMs, memoryLimitMb, maxOperations };
  const place = remote && { isolation: 'remote' as const, remote };
  const options = { ...api, stateSchema: anyState, ...limits, ...place };
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
