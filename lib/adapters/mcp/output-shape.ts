import { z } from '../../bundled/mcp';

/** Includes failures, because clients check `structuredContent` whether or not `isError` is set. */
export const OUTPUT_SHAPE = {
  output: z.unknown().optional().describe('The output of the program, as JSON'),
  logs: z.string().describe('The log of the program'),
  note: z.string().optional().describe('A note, such as that earlier variables are lost'),
  waiting: z
    .array(z.looseObject({ key: z.string(), name: z.string(), args: z.unknown(), payload: z.unknown().optional() }))
    .optional()
    .describe('The calls that the program waits for; it has not ended'),
  error: z
    .looseObject({
      code: z.string(),
      message: z.string(),
      line: z.number().optional(),
      column: z.number().optional(),
      codeFrame: z.string().optional(),
      hint: z.string(),
      retryable: z.boolean(),
    })
    .optional()
    .describe('Why the program failed, and what to do'),
};
