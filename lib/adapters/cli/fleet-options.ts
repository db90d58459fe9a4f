import { UsageError } from './usage-error';
import { checkSome } from '../../contract/options';
import { preferredIsolation } from '../../ses/isolation';
import type { CommandOptions } from './main';
import type { ExecutorOptions } from '../../contract/executor-options';
import type { Fleet } from '../../contract/options';

type FleetOptions = Pick<CommandOptions, 'servers' | 'pool' | 'credentialsFile'>;

/**
 * Where a command runs code: on a fleet if its options or the environment name one, otherwise on this machine, in a
 * process where processes are supported.
 */
export function placeOf(options: FleetOptions): Pick<ExecutorOptions, 'isolation' | 'remote'> {
  const { servers = process.env.SES_EXECUTOR_SERVERS || undefined, pool, credentialsFile } = options;
  // The form of `--server`.
  if (servers !== undefined && /^[\w-]+=/.test(servers)) {
    throw new UsageError(
      '--servers takes brokers, such as nats://host:4222; for another MCP server, use --server name=command',
    );
  }
  const isRemote = [servers, pool, credentialsFile].some((value) => value !== undefined);
  return isRemote ? { isolation: 'remote', remote: fleetOf(options) } : { isolation: preferredIsolation() };
}

/** The pool of workers that a command is about, from its options and the environment. */
export function fleetOf({ servers, pool, credentialsFile }: FleetOptions): Fleet {
  const { SES_EXECUTOR_SERVERS, SES_EXECUTOR_POOL, SES_EXECUTOR_CREDENTIALS } = process.env;
  const remote = {
    servers: servers ?? (SES_EXECUTOR_SERVERS || undefined),
    pool: pool ?? (SES_EXECUTOR_POOL || undefined),
    credentials: credentialsFile ?? (SES_EXECUTOR_CREDENTIALS || undefined),
  };
  if (remote.servers === undefined) {
    throw new UsageError('--servers or the environment variable SES_EXECUTOR_SERVERS must name the brokers');
  }
  return checkSome({ remote }, ['remote']).remote as Fleet;
}
