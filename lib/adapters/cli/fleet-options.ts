import { UsageError } from './usage-error';
import { checkSome } from '../../contract/options';
import type { CommandOptions } from './main';
import type { Fleet } from '../../contract/options';

/** The pool of workers that a command is about, from its options and the environment. */
export function fleetOf({ servers, pool, credentialsFile }: CommandOptions): Fleet {
  const { SES_EXECUTOR_SERVERS, SES_EXECUTOR_POOL, SES_EXECUTOR_CREDENTIALS } = process.env;
  const remote = {
    servers: servers ?? (SES_EXECUTOR_SERVERS || undefined),
    pool: pool ?? (SES_EXECUTOR_POOL || undefined),
    credentials: credentialsFile ?? (SES_EXECUTOR_CREDENTIALS || undefined),
  };
  if (remote.servers === undefined) {
    throw new UsageError('--servers or the environment variable SES_EXECUTOR_SERVERS says where the brokers are');
  }
  return checkSome({ remote }, ['remote']).remote as Fleet;
}
