import { OUTPUT_SHAPE } from './output-shape';
import { Progress } from './progress';
import { callResult } from './result';
import { z } from '../../bundled/mcp';
import { HELPER_PATHS, RunHelpers } from '../code-tool/helpers';
import { Planner, RunPlan } from '../code-tool/planner';
import { NO_LIMIT } from '../../contract/options';
import { flattenTools } from '../../contract/tool-registry';
import type { Foreign } from '../../contract/foreign';
import type { Tools } from '../../contract/tool-types';
import type { LogProgress } from './progress';
import type { ServedTool, ToolRequest } from './served';
import type { Toolset } from './toolset';
import type { Session } from '../../contract/session';
import type { PausedRun } from '../../contract/waiting-call';
import type { Answer } from '../../contract/waiting-types';
import type { HelperState } from '../code-tool/helpers';
import type { LanguageText } from '../code-tool/language';

/** A tool that runs programs, and what continues a program with answers to calls that wait. */
export interface RunTool extends ServedTool {
  continueWith: (
    args: { code: string },
    request: ToolRequest,
    answer: (run: PausedRun) => Record<string, Answer> | undefined,
  ) => ReturnType<ServedTool['call']>;
}

/**
 * The tool that runs programs of one language in a session.
 *
 * @param tool.lookups the functions that find tools
 * @param tool.timeoutMs default and maximum timeout of a call; if absent, the executor's own timeout applies
 */
export function runTool(
  toolset: Toolset,
  session: Session,
  {
    language,
    description,
    lookups,
    timeoutMs,
    annotations,
    log,
    helpers,
    taken,
    enforcePlan = false,
  }: {
    language: LanguageText;
    description: string;
    lookups: Tools;
    timeoutMs?: number;
    annotations: object;
    /** What the executor logs to, if it is the server's own. */
    log?: LogProgress;
    helpers: HelperState;
    /** Names that code uses for variables. */
    taken: readonly string[];
    /** Whether runs are held to their plans. */
    enforcePlan?: boolean;
  },
): RunTool {
  const { toolName: name, title, program } = language;
  const paths = toolset.pathsIn(language);
  const names = [...taken, ...paths.map(([first]) => first)];
  const lookupPaths = flattenTools(lookups).map(({ path }) => path);
  const planner = new Planner(paths, [...lookupPaths, ...HELPER_PATHS.filter(([first]) => !names.includes(first))]);
  const perform = async (
    { code, timeoutMs: deadline, reset = false }: Foreign,
    request: ToolRequest,
    given?: Parameters<RunTool['continueWith']>[2],
  ) => {
    const { signal } = request;
    const progress = new Progress(request);
    const plan = new RunPlan(planner, code, enforcePlan);
    const run = toolset.forRun(signal, language, progress, plan);
    // The program has begun: in another call, or in the request that this one repeats.
    const continues = given !== undefined || request.isRepeated === true;
    const afresh = reset && !continues;
    if (afresh) helpers.clear();
    const own = new RunHelpers(code, {
      state: helpers,
      taken: () => [...taken, ...Object.keys(run.tools), ...Object.keys(lookups)],
      onProgress: (message, fraction) => progress.say(message, fraction),
    });
    try {
      const begin = () => log?.begin(progress);
      const tools = { ...own.tools, ...run.tools, ...lookups };
      const options = { tools, signal, timeoutMs: deadline, begin, plan };
      const first = { ...options, onEarlier: own.onEarlier, afresh, continues, ...(given && { answer: given }) };
      let report = await session.run(code, first);
      // A program of a durable session may wait for a person.
      while (report.waiting !== undefined && report.waiting.length > 0) {
        const [call] = report.waiting;
        const answer = await request.ask(call);
        if (answer === undefined) break;
        const answers: Record<string, Answer> = { [call.key]: answer };
        report = await session.run(code, { ...options, answer: () => answers, continues: true });
      }
      return await callResult(report, own.reporting);
    } finally {
      own.end();
      run.end();
      await progress.end();
    }
  };
  return {
    ...{ name, title, description, annotations, canBeTask: true },
    inputShape: inputShape(program, timeoutMs),
    outputShape: OUTPUT_SHAPE,
    call: (args, request) => perform(args, request),
    continueWith: perform,
  };
}

function inputShape(program: string, timeoutMs?: number) {
  const deadline = z.number().int().min(1);
  return {
    code: z.string().describe(`The program, in ${program}`),
    timeoutMs:
      timeoutMs === undefined
        ? deadline.optional().describe('Deadline in milliseconds')
        : deadline.max(timeoutMs).optional().describe(`Deadline; default ${timeoutMs}`),
    reset: z.boolean().optional().describe('Whether to forget all variables first'),
  };
}

/** Describes the limits of a run, with a leading space. An executor's own limits are not described. */
export function limitsText(
  { operations }: LanguageText,
  { timeoutMs, memoryLimitMb, maxOperations }: { timeoutMs?: number; memoryLimitMb?: number; maxOperations?: number },
) {
  if (timeoutMs === undefined) return '';
  const counted = maxOperations === undefined || maxOperations >= NO_LIMIT ? '' : `, ${maxOperations} ${operations}`;
  return ` A run may take ${timeoutMs} ms${counted} and ${memoryLimitMb} MiB of memory.`;
}
