import { answerOf } from './elicitation';
import { OUTPUT_SHAPE } from './output-shape';
import { z } from '../../bundled/mcp';
import type { RunTool } from './run-tool';
import type { ServedTool } from './served';
import type { PausedRun } from '../../contract/waiting-call';

const MAX_KEY_CHARS = 200;

/**
 * The tool by which a client that cannot ask a person passes on what a person has decided. The client has to ask before
 * it calls the tool, because nothing here can tell a person from a model. For a client that can be asked, the tool
 * decides nothing.
 */
export function answerTool(run: RunTool, program: string): ServedTool {
  return {
    name: 'answer',
    title: 'Answer a program that waits',
    description: `Passes on the decision of the user about a call that a program of ${run.name} waits for, and continues \
the program. Show the user the call with its arguments first, and wait for the decision. Never decide for the user.`,
    inputShape: {
      code: z.string().describe(`The same program, in ${program}`),
      key: z.string().max(MAX_KEY_CHARS).describe('The key of the call, from "waiting" of the result'),
      decision: z
        .enum(['approve', 'answer', 'refuse'])
        .describe(
          'What the user has decided. approve: the call is made. answer: the text is its result. refuse: it fails.',
        ),
      answer: z.string().optional().describe('The answer of the user'),
    },
    outputShape: OUTPUT_SHAPE,
    // Clients ask before they call a tool that may destroy something.
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    call: async ({ code, key, decision, answer }, request) => {
      if (request.canAsk) {
        throw new Error(`this client asks the user itself: send the same code to ${run.name} to be asked again`);
      }
      const decided = ({ calls }: PausedRun) => {
        const call = calls.find((it) => it.key === key);
        const given = call && answerOf({ action: 'accept', content: { decision, answer } }, call);
        return given && { [key]: given };
      };
      return await run.continueWith({ code }, request, decided);
    },
  };
}
