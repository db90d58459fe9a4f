import { LogProgress } from './progress';
import { limitsText, runTool } from './run-tool';
import { helpersText } from '../code-tool/helpers';
import { languageText } from '../code-tool/language';
import { NO_LIMIT } from '../../contract/options';
import { Session } from '../../contract/session';
import { BASE_BUILTIN_MODULES, PyodideExecutor } from '../../python';
import { checkPythonOptions, offerWith } from '../../python/options';
import { frontEndOf } from '../../ses/agent-program';
import { codeFrame } from '../../ses/code-frame';
import type { ExecutorOptions } from '../../contract/executor-options';
import type { NetworkPolicy } from '../../contract/network-policy';
import type { ServedTool } from './served';
import type { HelperState } from '../code-tool/helpers';
import type { Toolset } from './toolset';

/**
 * The tool `run_python`, with its own session.
 *
 * @param options.maxOperations number of lines
 */
export function pythonTool(
  toolset: Toolset,
  {
    timeoutMs,
    memoryLimitMb,
    authorizedImports = [],
    ...others
  }: {
    timeoutMs?: number;
    toolTimeoutMs?: number;
    memoryLimitMb?: number;
    maxOperations?: number;
    authorizedImports?: readonly string[];
    packages?: string;
    isolation: ExecutorOptions['isolation'];
    remote?: ExecutorOptions['remote'];
    network?: NetworkPolicy | undefined;
    variables?: Record<string, unknown>;
    annotations: object;
    forCatalog: { maxChars: number; taken: readonly string[] };
    helpers: HelperState;
  },
): { tool: ServedTool; session: Session } {
  const { toolTimeoutMs, maxOperations, packages, isolation, remote, network, variables } = others;
  const { annotations, forCatalog, helpers } = others;
  const language = languageText('python');
  const imports = [...BASE_BUILTIN_MODULES, ...authorizedImports];
  const log = new LogProgress();
  const options = {
    onLog: log.onLog,
    ...{ timeoutMs, toolTimeoutMs, memoryLimitMb, isolation, remote },
    ...{ max_operations: maxOperations ?? NO_LIMIT, max_while_iterations: NO_LIMIT, mount: false, packages, network },
  };
  const session = new Session(new PyodideExecutor(imports, options), {
    livesOn: true,
    codeFrame,
    frontEnd: frontEndOf('python'),
    variables,
  });
  const checked = checkPythonOptions(imports, options);
  const limits = { timeoutMs, memoryLimitMb, maxOperations: checked.maxOperations };
  const offer = { ...offerWith(checked), variables: Object.keys(variables ?? {}) };
  const catalog = toolset.catalogIn(language, forCatalog);
  const more = limitsText(language, limits) + helpersText([...forCatalog.taken, ...toolset.names], true);
  const description = language.description(catalog.text(), true, offer, more);
  const { taken } = forCatalog;
  const tool = { language, description, lookups: catalog.tools, timeoutMs, annotations, log, helpers, taken };
  return { tool: runTool(toolset, session, tool), session };
}
