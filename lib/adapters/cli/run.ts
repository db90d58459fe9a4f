import { NO_LIMIT } from '../../contract/options';
import { errorText } from './diagnostics';
import { placeOf } from './fleet-options';
import { guestExecutor } from './guest-executor';
import { ProgressLine } from './progress-line';
import { languageOf, loadTools, readCode, readVariables } from './input';
import { shownText } from './shown-text';
import { ownStdout } from './terminal';
import { asUsage } from './usage-error';
import { ExecutorError } from '../../contract/errors';
import { outputText, toJson } from '../../contract/render';
import { write } from '../../contract/terminal';
import { RunHelpers } from '../code-tool/helpers';
import { languageText } from '../code-tool/language';
import { toolsetOf } from '../mcp/tools';
import type { Command, CommandOptions } from './main';
import type { Language } from '../../contract/executor-options';
import type { LogEntry } from '../../contract/executor-types';

/** Runs `ses-executor run`. The exit status is 0 if the code ran, or 1 if it failed. */
export async function run(file: Parameters<Command>[0], options: Parameters<Command>[1]): ReturnType<Command> {
  const { vars, json } = options;
  const code = await readCode(file);
  const language = languageOf(file);
  const stdout = ownStdout();
  const variables = await asUsage(() => (vars === undefined ? {} : readVariables(vars)));
  const progress = new ProgressLine();
  const { tools, end } = await asUsage(() => toolsOf(options.tools, language));
  const executor = await asUsage(() => newExecutor(language, options, (text) => progress.log(text)));
  const taken = () => [...Object.keys(tools), ...Object.keys(variables)];
  const helpers = new RunHelpers(code, { taken, onProgress: progress.report });
  try {
    await executor.init();
    if (vars !== undefined) await asUsage(() => executor.sendVariables(variables));
    await asUsage(() => executor.sendTools({ ...helpers.tools, ...tools }));
    const { logEntries: _, ...output } = await executor.run(code);
    progress.clear();
    const { blocks: content } = helpers.content;
    if (json) write(stdout, jsonText({ ...output, ...(content.length > 0 && { content }) }));
    else write(stdout, shownText(content) + printed(output.output, language, stdout));
    return 0;
  } catch (error) {
    progress.clear();
    if (!(error instanceof ExecutorError)) throw error;
    const { blocks: content } = helpers.content;
    if (json) write(stdout, jsonText({ error: error.toJSON(), ...(content.length > 0 && { content }) }));
    else {
      write(stdout, shownText(content));
      write(process.stderr, errorText(error, file === '-' ? 'stdin' : file, code));
    }
    return 1;
  } finally {
    end();
    await executor.cleanup();
  }
}

function newExecutor(language: Language | 'python', options: CommandOptions, writeLog: (text: string) => void) {
  const { timeoutMs, maxOperations = NO_LIMIT } = options;
  const onLog = ({ message }: LogEntry) => writeLog(`${message}\n`);
  return guestExecutor(options, {
    isPython: language === 'python',
    // This program needs only one executor.
    common: { timeoutMs, ...placeOf(options), warmPool: 0, spares: 0, onLog },
    ofJavaScript: language === 'python' ? {} : { language },
    maxOperations,
    packagesText: '--packages is for Python',
  });
}

/** Returns the tools of a module for one run, and the function to call when the run has ended. */
async function toolsOf(file: string | undefined, language: Language | 'python') {
  const { toolset } = toolsetOf({ tools: file === undefined ? {} : await loadTools(file) });
  return toolset.forRun(undefined, languageText(language));
}

/** @param stream the stream that receives the output */
function printed(output: unknown, language: Language | 'python', stream: NodeJS.WriteStream) {
  // As in Python, `None` is not shown: a program without a value returns `None`.
  if (output === null && language === 'python') return '';
  const text = outputText(output, { colors: stream.isTTY === true && stream.hasColors() });
  return output === undefined || text.endsWith('\n') ? text : `${text}\n`;
}

function jsonText(value: Record<string, unknown>) {
  // An output that is `undefined` is `null`, and not left out.
  const form = 'output' in value ? { ...value, output: toJson(value.output) } : value;
  return `${JSON.stringify(toJson(form), null, 2)}\n`;
}
