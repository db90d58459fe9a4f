// The types of `ses-executor/ai` with those of AI SDK 7, which tsconfig.ai-v7.json reads as `ai`.

import { generateText, tool, type LanguageModel } from 'ai';
import { z } from 'zod';

import { createCodeTool } from 'ses-executor/ai';

export async function boundLate(model: LanguageModel): Promise<void> {
  const double = tool({ inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => n * 2 });
  const code = createCodeTool({ toolApproval: { double: 'user-approval' } });
  const tools = { code, double };
  const prompt = '';
  const experimental_toolCallers = { double: ['code', 'AI_SDK_DIRECT_TOOL_CALL'] } as const;
  await generateText({ model, prompt, tools, experimental_toolCallers });
  // @ts-expect-error: no such tool
  await generateText({ model, prompt, tools, experimental_toolCallers: { double: ['cod'] } });
}
