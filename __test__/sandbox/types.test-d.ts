// Compiled, never run: results have the type of the state's schema.
import type { ToolSet } from 'ai';
import {
  SandboxManager,
  anyState,
  createSandboxTools,
  registryFromOpenApi,
  type DashboardState,
  type SandboxError,
} from 'ses-executor/sandbox';
import { z } from 'zod';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_ extends true>(): void => {};

export async function sandbox(): Promise<void> {
  const api = await registryFromOpenApi('{}', { credentials: { token: async ({ context }) => String(context) } });
  await registryFromOpenApi('{}', { fetch: async (url, init) => fetch(url, init) });
  // @ts-expect-error: gives no response
  await registryFromOpenApi('{}', { fetch: async () => 1 });
  const plain = new SandboxManager(api);
  const dashboard = await plain.executeCode('1');
  holds<Equal<typeof dashboard, DashboardState>>();

  const stateSchema = z.object({ items: z.array(z.number()) });
  const registry = { sources: [{ name: 'a', methods: [{ name: 'b' }] }] };
  const typed = new SandboxManager({
    registry,
    stateSchema,
    context: { tenant: 'x' },
    adapters: { a: { b: async (params, { context, signal }) => [context.tenant.length, signal.aborted] } },
  });
  const state = await typed.executeCode('1', {
    context: { tenant: 'y' },
    style: 'async',
    signal: AbortSignal.timeout(1),
  });
  holds<Equal<typeof state, { items: number[] }>>();
  await typed.executeMutate('(state) => state', state);
  // @ts-expect-error: not the state
  await typed.executeMutate('(state) => state', { items: ['a'] });
  // @ts-expect-error: not the context
  await typed.executeCode('1', { context: 5 });
  // @ts-expect-error: no such option
  new SandboxManager({ registry, adapters: {}, poolsize: 1 });
  const found = await typed.executeSearch('1');
  holds<Equal<typeof found, unknown>>();

  const tools: ToolSet = createSandboxTools(typed, { setState: ({ items }) => void items.length });
  const any = await new SandboxManager({ registry, adapters: () => 1, stateSchema: anyState }).executeCode('1');
  holds<Equal<typeof any, unknown>>();
  await typed.close().catch(({ code, report }: SandboxError) => [code, report?.sdkCalls.a, tools]);
}
