// Compiled, never run: the declarations fit the packages that they are for.
import type { Executor } from '@cloudflare/codemode/browser' with { 'resolution-mode': 'import' };
import { generateText, tool, type InferToolInput, type InferToolOutput, type LanguageModel, type ToolSet } from 'ai';
import type Anthropic from '@anthropic-ai/sdk';
import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { tool as langchainTool, type StructuredToolInterface } from '@langchain/core/tools';
import type { BaseCheckpointSaver } from '@langchain/langgraph';
import type { CodeModeTransport, createTool } from '@mastra/core/tools' with { 'resolution-mode': 'import' };
import { Agent, tool as openAiTool } from '@openai/agents';
import type { CodeModeToolConfig } from '@tanstack/ai-code-mode' with { 'resolution-mode': 'import' };
import { createDeepAgent } from 'deepagents';
import { createAgent } from 'langchain';
import { SESExecutor } from 'ses-executor';
import { createCodeTool as createAnthropicCodeTool } from 'ses-executor/anthropic';
import { CodeToolError, createCodeTool as createNeutralCodeTool, type CodeTool } from 'ses-executor/code-tool';
import type { JournalStore } from 'ses-executor/durable';
import {
  checkpointStore,
  createCodeMiddleware,
  createCodeTool as createLangchainCodeTool,
} from 'ses-executor/langchain';
import { SESCodeModeTransport, createCodeTool as createMastraCodeTool } from 'ses-executor/mastra';
import { createMcpServer } from 'ses-executor/mcp';
import { instrument } from 'ses-executor/opentelemetry';
import { toJavaScriptSignature } from 'ses-executor/prompts';
import { createCodeTool as createOpenAiCodeTool } from 'ses-executor/openai-agents';
import { BASE_BUILTIN_MODULES, PyodideExecutor } from 'ses-executor/python';
import { createSmolagentsExecutor } from 'ses-executor/smolagents';
import { createSESIsolateDriver } from 'ses-executor/tanstack-ai';
import { createFileTools } from 'ses-executor/tools';
import { createCodeTool, type CodeToolOptions, type CodeToolResult, type RunFailure } from 'ses-executor/ai';
import { SESCodemodeExecutor, type ExecuteResult, type ResolvedProvider } from 'ses-executor/codemode';
import { z } from 'zod';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_ extends true>(): void => {};

export async function codemode(): Promise<void> {
  const executor: Executor = new SESCodemodeExecutor({ timeoutMs: 1, memoryLimitMb: 8 });
  const providers: ResolvedProvider[] = [{ name: 'codemode', fns: { one: async () => 1 }, prelude: '' }];
  const result: ExecuteResult = await executor.execute('async () => 1', providers);
  holds<Equal<typeof result.error, string | undefined>>();
  // @ts-expect-error: no such option
  new SESCodemodeExecutor({ timeout: 1 });
}

export function langchainMiddleware(checkpointer: BaseCheckpointSaver): void {
  const code = createCodeMiddleware({ tools: [], state: 'turn', open: () => new SESExecutor(), onEnd: async () => {} });
  createAgent({ model: 'a', middleware: [code] });
  createDeepAgent({ middleware: [code] });
  createCodeMiddleware({ tools: [], checkpointer, keys: { sign: 'a' } });
  // @ts-expect-error: no such state
  createCodeMiddleware({ tools: [], state: 'day' });
}

export function langgraphStore(checkpointer: BaseCheckpointSaver): JournalStore {
  return checkpointStore(checkpointer);
}

export function mastraCodeMode(): CodeModeTransport {
  // @ts-expect-error: no such option
  new SESCodeModeTransport({ timeout: 1 });
  return new SESCodeModeTransport({ timeoutMs: 1 });
}

export function tanstackAi(): CodeModeToolConfig {
  // @ts-expect-error: no such option
  createSESIsolateDriver({ timeout: 1 });
  return { driver: createSESIsolateDriver({ timeoutMs: 1, signal: AbortSignal.timeout(1) }), tools: [] };
}

export async function aiSdk(model: LanguageModel): Promise<void> {
  const double = tool({ inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => n * 2 });
  const options: CodeToolOptions = { tools: { double }, timeoutMs: 1, description: (declarations) => declarations };
  const code = createCodeTool(options);
  holds<Equal<InferToolInput<typeof code>, { code: string }>>();
  holds<Equal<InferToolOutput<typeof code>, CodeToolResult>>();
  const tools: ToolSet = { code, other: createCodeTool({ tools: { double }, executor: new SESExecutor() }) };
  const { toolResults } = await generateText({ model, tools: { code }, prompt: '' });
  for (const result of toolResults) {
    if (result.dynamic) continue;
    const { output } = result;
    holds<Equal<typeof output.output, unknown>>();
    const logs: string = output.logs;
    void logs;
  }
  void tools;
  const failed = (error: unknown) => (error instanceof CodeToolError ? error.failure : undefined);
  holds<Equal<ReturnType<typeof failed>, RunFailure | undefined>>();
  createCodeTool({ tools: { double }, executor: async ({ toolCallId }) => (void toolCallId, new SESExecutor()) });
  // @ts-expect-error: it must return an executor
  createCodeTool({ tools: { double }, executor: () => 1 });
  createCodeTool({ tools: { double, now: () => 1, files: createFileTools({ root: '.' }) } });
  createCodeTool({ toolApproval: { bound: 'user-approval' } });
  // @ts-expect-error: no such option
  createCodeTool({ tools: {}, timeout: 5 });
  createCodeTool({ tools: { double }, toolApproval: { double: 'user-approval' } });
  // @ts-expect-error: no such tool
  createCodeTool({ tools: { double }, toolApproval: { duoble: 'user-approval' } });
}

export async function otherFrameworks(
  client: Anthropic,
  runnable: BetaRunnableTool<{ a: number }>,
  makeTool: typeof createTool,
): Promise<void> {
  const schema = z.object({ n: z.number() });
  const neutral: CodeTool = createNeutralCodeTool({
    tools: {
      double: { inputSchema: schema, execute: ({ n }) => n * 2 },
      now: () => 1,
      files: createFileTools({ root: '.' }),
    },
    approve: ({ name, input }) => name === 'a' && input !== null,
    maxOutputChars: 1_000,
    timeoutMs: 1,
  });
  toJavaScriptSignature({ name: 'a', inputSchema: schema, outputSchema: schema });
  const result = await neutral.execute('1', { signal: new AbortController().signal, context: { user: 1 } });
  const text: string = result.text;
  const openAi = openAiTool({ name: 'a', description: 'a', parameters: schema, execute: ({ n }) => n * 2 });
  new Agent({ name: 'a', instructions: 'a', tools: [createOpenAiCodeTool({ tools: [openAi] })] });
  const langchain = langchainTool(({ n }) => n * 2, { name: 'a', description: 'a', schema });
  const langchainCode: StructuredToolInterface = createLangchainCodeTool({ tools: [langchain] });
  createLangchainCodeTool({ tools: [Object.assign(langchain, { needsApproval: true })] });
  createAgent({ model: 'a', tools: [createLangchainCodeTool({ tools: { langchain } }), langchainCode] });
  const mastra = makeTool({ id: 'a', description: 'a', inputSchema: schema, execute: async ({ n }) => ({ n }) });
  const mastraCode = createMastraCodeTool({ tools: { mastra } });
  createMastraCodeTool({ tools: [mastra] });
  createNeutralCodeTool({ tools: [{ id: 'a', execute: ({ n }) => n * 2 }] });
  // @ts-expect-error: neither a name nor an id
  createNeutralCodeTool({ tools: [{ execute: () => 1 }] });
  const id: string = mastraCode.id;
  await client.beta.messages.toolRunner({
    model: 'a',
    max_tokens: 1,
    messages: [],
    tools: [
      createAnthropicCodeTool({ tools: [runnable] }),
      createAnthropicCodeTool({
        tools: [{ ...runnable, needsApproval: ({ n }: { n: number }) => n > 1 }],
        answer: ([call]) => ({ [call.key]: { approve: 'plan' } }),
      }),
    ],
  });
  void [text, langchainCode, id];
  // @ts-expect-error: no such option
  createNeutralCodeTool({ tools: {}, timeout: 5 });
}

export async function servers(): Promise<void> {
  const tools = { now: () => 1, find: { inputSchema: { type: 'object' }, execute: ({ id }: { id: string }) => id } };
  const server = await createMcpServer({ tools, servers: { other: 'command' }, variables: { a: 1 }, timeoutMs: 1 });
  await server.connect({});
  await server.close();
  const stop: () => void = instrument({ captureContent: true });
  stop();
  new SESCodemodeExecutor({ executor: new SESExecutor() });
  // @ts-expect-error: no such option
  await createMcpServer({ timeout: 5 });
}

export function python(): void {
  new PyodideExecutor(['math'], { max_operations: 1, timeoutMs: 1, mount: false });
  new PyodideExecutor(undefined, { authorized_imports: BASE_BUILTIN_MODULES });
  // @ts-expect-error: an interpreter is made anew whatever the options say
  new PyodideExecutor(['math'], { recover: true });
  // @ts-expect-error: it keeps its state
  createSmolagentsExecutor({ language: 'python', keepState: true });
}
