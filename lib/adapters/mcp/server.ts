import { answerTool } from './answer-tool';
import { LogProgress } from './progress';
import { pythonTool } from './python-tool';
import { limitsText, runTool } from './run-tool';
import { frontEndOf } from '../../ses/agent-program';
import { codeFrame } from '../../ses/code-frame';
import { SESExecutor } from '../../ses/executor';
import { preferredIsolation } from '../../ses/isolation';
import { encode } from '../../ses/transfer';
import { HelperState, helpersText } from '../code-tool/helpers';
import { languageText } from '../code-tool/language';
import { offerOf } from '../../contract/executor';
import { checkCodeToolOptions } from '../../contract/options';
import { Session } from '../../contract/session';
import { refuseUnwritableNames } from '../../contract/tool-names';
import { refuseReservedName } from '../../contract/tool-registry';
import { toolsetOf } from './tools';
import type { GuestGlobal } from '../../contract/executor-types';
import type { NetworkPolicy } from '../../contract/network-policy';
import type { Foreign } from '../../contract/foreign';
import type { LanguageText } from '../code-tool/language';
import type { Offer } from '../../contract/executor';
import type { Served, ServedTool } from './served';
import type { ConnectedServer } from './servers';
import type { ExecutorOptions, Language, Modules } from '../../contract/executor-options';
import type { Executor, LogEntry } from '../../contract/executor-types';

export interface ServerOptions {
  /** The folder that the file tools are confined to. Without it there are no file tools. */
  root?: string;
  /** Whether file tools that modify files are left out. */
  readOnly?: boolean;
  /** Functions, namespaces and tools with schemas. */
  tools?: Record<string, Foreign>;
  /** Other servers whose tools code can call. */
  servers?: ConnectedServer[];
  /** Variables of each session. */
  variables?: Record<string, unknown>;
  /** Whether each run in JavaScript is held to its plan. */
  enforcePlan?: boolean;
  /**
   * Options of `run_python`: the number of lines that it may execute, and a folder of packages that it may import.
   * Without them, the tool is absent.
   */
  python?: { maxOperations: number | undefined; packages: string | undefined };
  /** The executor that runs the code. Default: the server's own executor with the options below. */
  executor?: Executor;
  /** Whether there is a tool that passes on decisions about calls that wait. */
  answerByCall?: boolean;
  /** Default: a process, where processes are supported. */
  isolation?: ExecutorOptions['isolation'];
  /** The fleet of `isolation: "remote"`. */
  remote?: ExecutorOptions['remote'];
  /** Whether variables survive a run that is ended at its deadline or cancelled. Not for the caller's executor. */
  keepState?: boolean;
  /** Further globals of code in JavaScript, and the requests that code may make. */
  globals?: readonly GuestGlobal[];
  network?: NetworkPolicy | undefined;
  /** Whether the types of code in JavaScript are checked before it runs. */
  typecheck?: ExecutorOptions['typecheck'];
  /** Default and maximum deadline of a run. */
  timeoutMs?: number;
  /** Timeout of a tool call. If it is set, tool calls do not count against the deadline of the run. */
  toolTimeoutMs?: number;
  memoryLimitMb?: number;
  maxOperations?: number;
  language?: Language;
  authorizedImports?: readonly string[];
  modules?: Modules;
  onLog?: ExecutorOptions['onLog'];
  /** Length of the declarations in a description. */
  maxDeclarationChars?: number;
}

/** Creates a session, and the tools that a server has for it. */
export function createServed({
  root,
  readOnly = false,
  tools = {},
  servers = [],
  variables,
  enforcePlan,
  answerByCall = false,
  maxDeclarationChars,
  ...others
}: ServerOptions): Served {
  const { python, executor, isolation = preferredIsolation(), ...options } = others;
  const language = languageText((executor as { language?: string } | undefined)?.language ?? options.language);
  const { toolset, files } = toolsetOf({ root, readOnly, tools, servers });
  const names = Object.keys(variables ?? {});
  for (const name of names) refuseReservedName(name, 'variables');
  refuseUnwritableNames(names, 'variables');
  // Without this check, each call would fail and only the model would see the error. Executors of the caller check
  // their own input.
  if (variables && !executor) encode(Object.values(variables), 'variables', Infinity, variables);
  const log = new LogProgress();
  const onLog = (entry: LogEntry) => {
    log.onLog(entry);
    return options.onLog?.(entry);
  };
  const session = new Session(executor ?? new SESExecutor({ ...options, isolation, onLog }), {
    livesOn: true,
    codeFrame,
    frontEnd: frontEndOf((executor as { language?: string } | undefined)?.language ?? options.language),
    variables,
  });
  // Values that were sent to an executor are lost when the executor is reset.
  const { globals, network } = options;
  const { tools: _, ...known } =
    executor === undefined ? { imports: options.authorizedImports ?? [], globals, network } : offerOf(executor);
  const offer = { ...known, variables: names };
  const forCatalog = {
    maxChars: checkCodeToolOptions({ maxDeclarationChars }).maxDeclarationChars,
    taken: [...names, ...(executor === undefined ? [] : (offerOf(executor).variables ?? []))],
  };
  const catalog = toolset.catalogIn(language, forCatalog);
  const more = helpersText([...forCatalog.taken, ...toolset.names], true);
  const [helpers, ofPython] = [new HelperState(), new HelperState()];
  // The effects of other servers' tools are unknown.
  const isOpen = Object.keys(tools).length > 0 || servers.length > 0;
  const annotations = {
    readOnlyHint: !isOpen && (root === undefined || readOnly),
    destructiveHint: isOpen || (root !== undefined && !readOnly),
    openWorldHint: isOpen,
  };
  const run = runTool(toolset, session, {
    language,
    lookups: catalog.tools,
    description: description(language, options, catalog.text(), { offer, hasFiles: root !== undefined, more }),
    timeoutMs: options.timeoutMs,
    annotations,
    log,
    helpers,
    taken: forCatalog.taken,
    enforcePlan,
  });
  const inPython =
    python &&
    pythonTool(toolset, { ...options, ...python, isolation, variables, annotations, forCatalog, helpers: ofPython });
  const sessions = inPython === undefined ? [session] : [session, inPython.session];
  const reset: ServedTool = {
    name: 'reset',
    title: 'Reset the session',
    description: `Forgets all variables and functions that ${python ? 'programs have' : `${language.toolName} has`} defined.`,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    call: async () => {
      await Promise.all(sessions.map((it) => it.reset()));
      for (const it of [helpers, ofPython]) it.clear();
      return { content: [{ type: 'text', text: 'The session is empty.' }] };
    },
  };
  return {
    tools: [
      run,
      ...(answerByCall ? [answerTool(run, language.program)] : []),
      ...(inPython === undefined ? [] : [inPython.tool]),
      reset,
    ],
    instructions: instructions(language.toolName, files, toolset.isEmpty),
    close: () => Promise.all(sessions.map((it) => it.close())),
  };
}

function description(
  language: LanguageText,
  limits: Pick<ServerOptions, 'timeoutMs' | 'memoryLimitMb' | 'maxOperations'>,
  declarations: string,
  { offer, hasFiles, more }: { offer: Offer; hasFiles: boolean; more: string },
) {
  const bounds = limitsText(language, limits) + more;
  if (language.toolName === 'run_python') return language.description(declarations, true, offer, bounds);
  const text = `Runs JavaScript in an isolated V8 realm, and returns the value of the last expression or of a top-level \
\`return\`, and what console.log has logged. \`await\` works at the top level. Variables and functions persist from call \
to call.${language.surroundings(offer, declarations !== '')}${bounds}`;
  if (declarations === '') return text;
  const files = hasFiles ? ' Read the text of a file with `await readText({ path })`.' : '';
  return `${text}${files}\n\n${declarations}`;
}

/**
 * @param tool name of the tool that runs code
 * @param files names of the file tools
 * @param hasNoTools whether code can call no tools
 */
function instructions(tool: string, files: string[], hasNoTools: boolean) {
  const use = `Use ${tool} to calculate, to transform data and to work through many steps in one program, instead of \
doing so by hand. State persists between calls; reset clears it.`;
  if (hasNoTools) return use;
  if (files.length === 0) {
    return `${use} Programs can call the functions that the description of ${tool} declares: call them in loops and \
return only what is needed.`;
  }
  return `${use} Programs reach files through the functions ${files.join(', ')}, which the description of \
${tool} declares; call them in loops and return only what is needed.`;
}
