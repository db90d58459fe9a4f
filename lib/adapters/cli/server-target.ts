import { Logins, StoredLogin } from './logins';
import { targetOf } from '../mcp/address';
import { UsageError } from './usage-error';
import type { ServerTarget } from '../mcp/address';

/** Environment variables whose values are sent to the server of that name as a bearer token. */
const TOKEN_PREFIX = 'SES_EXECUTOR_TOKEN_';

/**
 * A server of `--server`. A server at an address gets the token of its environment variable, otherwise the tokens of
 * the last login.
 */
export function serverTarget(name: string, text: string): ServerTarget {
  const target = asTarget(name, text);
  if (target.url === undefined) return target;
  const variable = `${TOKEN_PREFIX}${name.toUpperCase()}`;
  const token = process.env[variable];
  const command = `ses-executor mcp login ${name}=${target.url.href}`;
  const loginHint = `the server ${name} demands a login: run \`${command}\`, or put a token in the environment variable ${variable}`;
  if (token !== undefined && token !== '') {
    return { ...target, headers: { authorization: `Bearer ${token}` }, loginHint };
  }
  const login = new Logins().read(name, target.url);
  return {
    ...target,
    loginHint,
    ...(login?.tokens !== undefined && { authProvider: new StoredLogin(login, loginHint) }),
  };
}

function asTarget(name: string, text: string): ServerTarget {
  try {
    return targetOf(name, text);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
