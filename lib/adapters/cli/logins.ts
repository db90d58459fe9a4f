import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { version } from '../../../package.json';
import { UsageError } from './usage-error';
import type { Foreign } from '../../contract/foreign';

/** Environment variable with the folder of logins. */
const FOLDER = 'SES_EXECUTOR_LOGINS';
/** A longer file is not a login. */
const MAX_BYTES = 1 << 20;

/** The login at one server, as its file has it. */
export interface Login {
  name: string;
  /** The address that the tokens belong to. They are sent nowhere else. */
  url: string;
  client?: Foreign;
  tokens?: Foreign;
}

/** The folder of logins: one file per server, which only the user can read. */
export class Logins {
  readonly folder = process.env[FOLDER] || defaultFolder();

  /** @returns undefined if there is none for this address */
  read(name: string, url: URL): Login | undefined {
    const path = this.#pathOf(name);
    let text: string;
    try {
      const { mode, size } = statSync(path);
      if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
        throw new UsageError(`other users can read the login file ${path}: run \`chmod 600 ${path}\`, or log in again`);
      }
      if (size > MAX_BYTES) throw new UsageError(`${path} is not a login file`);
      text = readFileSync(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    const login = parsed(text, path);
    return login.url === url.href ? { ...login, name } : undefined;
  }

  /** Writes a login. A reader finds the old file or the new one. */
  write({ name, url, client, tokens }: Login) {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const path = this.#pathOf(name);
    const draft = `${path}.${randomBytes(6).toString('hex')}`;
    writeFileSync(draft, `${JSON.stringify({ url, client, tokens })}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(draft, 0o600);
    renameSync(draft, path);
  }

  /** @returns whether there was one */
  remove(name: string): boolean {
    try {
      rmSync(this.#pathOf(name));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  /** Names are identifiers. Their characters cannot leave the folder. */
  #pathOf(name: string) {
    return join(this.folder, `${name}.json`);
  }
}

function parsed(text: string, path: string): Login {
  try {
    const login = JSON.parse(text);
    if (typeof login?.url === 'string') return login;
  } catch {
    // The message of the error would show a part of the file.
  }
  throw new UsageError(`${path} is not a login file`);
}

function defaultFolder() {
  const { XDG_CONFIG_HOME, APPDATA } = process.env;
  const base = process.platform === 'win32' ? APPDATA : XDG_CONFIG_HOME;
  return join(base || join(homedir(), '.config'), 'ses-executor', 'logins');
}

/** An `OAuthClientProvider` of the SDK, with the tokens of a login. It renews them, but it cannot begin a login. */
export class StoredLogin {
  protected login: Login;
  #hint;
  /** A token that the server does not renew. */
  #refused: unknown = null;

  constructor(login: Login, hint: string) {
    this.login = login;
    this.#hint = hint;
  }

  get redirectUrl(): string {
    return 'http://127.0.0.1/callback';
  }

  get clientMetadata() {
    return {
      client_name: 'ses-executor',
      software_id: 'ses-executor',
      software_version: version,
      application_type: 'native',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  clientInformation() {
    return this.login.client;
  }

  /** From the file: another process with the same login may have renewed them, which may have ended the old ones. */
  tokens(): Foreign {
    const { name, url } = this.login;
    const { tokens } = new Logins().read(name, new URL(url)) ?? {};
    const isRefused = tokens !== undefined && tokens.refresh_token === this.#refused;
    return isRefused ? undefined : tokens;
  }

  saveTokens(tokens: Foreign) {
    this.login = { ...this.login, tokens };
    new Logins().write(this.login);
  }

  async redirectToAuthorization(_url: URL) {
    throw new Error(this.#hint);
  }

  saveCodeVerifier(_verifier: string) {}

  codeVerifier(): string {
    throw new Error(this.#hint);
  }

  /** The tokens stay in the file: the server may be wrong about them for a while. */
  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery') {
    if (scope === 'all' || scope === 'tokens') this.#refused = this.tokens()?.refresh_token;
  }
}
