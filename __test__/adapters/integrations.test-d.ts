// Compiled, never run: the declarations fit the packages that they are for.
import type { Executor } from '@cloudflare/codemode/browser' with { 'resolution-mode': 'import' };
import { generateText, tool, type InferToolInput, type InferToolOutput, type LanguageModel, type ToolSet } from 'ai';
import { SESExecutor } from 'ses-executor';
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
    if ('error' in output) holds<Equal<typeof output.error, RunFailure>>();
    else holds<Equal<typeof output.output, unknown>>();
    const logs: string = output.logs;
    void logs;
  }
  void tools;
  // @ts-expect-error: tools are needed
  createCodeTool({});
  // @ts-expect-error: no such option
  createCodeTool({ tools: {}, timeout: 5 });
}
