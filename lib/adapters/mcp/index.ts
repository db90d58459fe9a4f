import { createSessionServer } from './session-server';
import { describe, isPlainObject, memberPath } from '../../contract/describe';
import { isExecutor, refuseBeside } from '../../contract/executor';
import { OPTION_NAMES, checkOptions, optionsOf } from '../../contract/options';
import { refuseWrongOptions } from '../../ses/check-options';
import type { McpServer, McpServerOptions } from './api';
import type { ExecutorOptions } from '../../contract/executor-options';

/** Options that are not options of the executor. */
const OWN_OPTIONS = ['executor', 'root', 'readOnly', 'tools', 'servers', 'variables'];
const KNOWN = [...OWN_OPTIONS, ...OPTION_NAMES];

/** Creates the server that `ses-executor mcp` starts, for any transport. Documented in `api.d.ts`. */
export async function createMcpServer(given: McpServerOptions = {}): Promise<McpServer> {
  const {
    executor,
    root,
    readOnly,
    tools,
    servers: commands = {},
    variables,
    ...others
  } = optionsOf(given, 'options', KNOWN);
  refuseNoObjects({ tools, servers: commands, variables });
  if (readOnly !== undefined && typeof readOnly !== 'boolean') {
    throw new TypeError(`options.readOnly must be a boolean, got ${describe(readOnly)}`);
  }
  const options = executor === undefined ? executorOptions(others) : ofGiven(executor, others);
  const servers = Object.entries(commands).map(([name, command]) => {
    if (typeof command === 'string' && command.trim() !== '') return { name, command };
    throw new TypeError(`${memberPath('options.servers', name)} must be a command, got ${describe(command)}`);
  });
  const { server, close } = await createSessionServer({
    ...{ executor, root, readOnly, tools, servers, variables },
    ...options,
  });
  return {
    connect: (transport) => server.connect(transport as any),
    close: async () => {
      await close();
      await server.close();
    },
  };
}

function refuseNoObjects(given: Record<string, unknown>) {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || isPlainObject(value)) continue;
    throw new TypeError(`options.${name} must be an object, got ${describe(value)}`);
  }
}

function executorOptions(options: ExecutorOptions) {
  refuseWrongOptions(options, OWN_OPTIONS);
  const { timeoutMs, memoryLimitMb, maxOperations } = checkOptions(options);
  return { ...options, timeoutMs, memoryLimitMb, maxOperations };
}

/** Rejects executor options next to `executor`, which has its own options. */
function ofGiven(executor: unknown, others: object) {
  if (!isExecutor(executor)) throw new TypeError(`options.executor must be an executor, got ${describe(executor)}`);
  refuseBeside(others, OWN_OPTIONS);
  return {};
}
