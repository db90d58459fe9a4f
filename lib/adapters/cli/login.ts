import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

import { Logins, StoredLogin } from './logins';
import { UsageError } from './usage-error';
import { requestUrl, targetOf } from '../mcp/address';
import { remoteClient } from '../mcp/remote-link';
import { clearTimeout, setTimeout } from '../../contract/clock';
import { isBindable } from '../../contract/identifiers';
import type { AddressInfo } from 'node:net';
import type { Foreign } from '../../contract/foreign';

/** Milliseconds that a person has to log in. */
const LOGIN_MS = 5 * 60_000;
const PATH = '/callback';

/**
 * Runs `ses-executor mcp login <name=address>` and `mcp logout <name>`. The exit status is 0 if the login exists or is
 * gone.
 */
export async function loginCommand([action, text = '', ...more]: string[]): Promise<number> {
  if (more.length > 0) throw new UsageError(`mcp ${action} takes one server, got ${more.length + 1}`);
  const at = text.indexOf('=');
  const name = at === -1 ? text : text.slice(0, at);
  if (!isBindable(name)) throw new UsageError(`mcp ${action} needs the name of a server, got ${JSON.stringify(text)}`);
  if (action === 'logout') {
    const wasThere = new Logins().remove(name);
    process.stdout.write(wasThere ? `removed the login for ${name}\n` : `there is no login for ${name}\n`);
    return 0;
  }
  if (at === -1)
    throw new UsageError(`mcp login must be like name=https://example.com/mcp, got ${JSON.stringify(text)}`);
  const target = asUrl(name, text.slice(at + 1));
  process.stdout.write(`${await login(name, target)}\n`);
  return 0;
}

function asUrl(name: string, text: string): URL {
  try {
    const { url } = targetOf(name, text);
    if (url !== undefined) return url;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  throw new UsageError(`mcp login needs the address of the server ${name}`);
}

/** @returns what to tell the user. Tokens are never part of it */
async function login(name: string, url: URL): Promise<string> {
  // Compared with the state of the callback, so that no other page can end the login.
  const state = randomBytes(24).toString('base64url');
  const callback = await Callback.listen(state);
  try {
    const person = new PersonLogin(name, url, { redirectUrl: callback.url, state });
    const { client, transport } = remoteClient({ url, authProvider: person });
    try {
      await client.connect(transport);
      await client.close();
      return `the server ${name} does not require a login`;
    } catch (error) {
      if (person.isAsked) await transport.finishAuth(await callback.answer());
      else throw new Error(`the server ${name} cannot be used: ${(error as Error).message}`, { cause: error });
    }
    await transport.close().catch(() => {});
    person.save();
    // Whether the server accepts the tokens.
    const again = remoteClient({ url, authProvider: person });
    await again.client.connect(again.transport);
    await again.client.close();
    return `the login for ${name} is stored in ${new Logins().folder}`;
  } finally {
    callback.close();
  }
}

/** An `OAuthClientProvider` of the SDK that shows an address to a person. */
class PersonLogin extends StoredLogin {
  isAsked = false;
  #redirectUrl;
  #state;
  #verifier = '';

  constructor(name: string, url: URL, { redirectUrl, state }: { redirectUrl: string; state: string }) {
    super({ name, url: url.href }, 'the login is not complete');
    this.#redirectUrl = redirectUrl;
    this.#state = state;
  }

  override get redirectUrl() {
    return this.#redirectUrl;
  }

  state() {
    return this.#state;
  }

  saveClientInformation(client: Foreign) {
    this.login = { ...this.login, client };
  }

  override tokens() {
    return this.login.tokens;
  }

  override saveTokens(tokens: Foreign) {
    this.login = { ...this.login, tokens };
  }

  override invalidateCredentials() {
    this.login = { ...this.login, tokens: undefined };
  }

  /** Writes the file. Before the login is complete there is nothing to keep. */
  save() {
    new Logins().write(this.login);
  }

  override async redirectToAuthorization(url: URL) {
    if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Error('the login page is not a web page');
    this.isAsked = true;
    process.stderr.write(`Open this page to log in:\n${url.href}\n`);
  }

  override saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }

  override codeVerifier() {
    return this.#verifier;
  }
}

/** Waits for the browser at a free port of this machine. */
class Callback {
  #server;
  #found: Promise<URLSearchParams>;
  #state;
  #resolve!: (params: URLSearchParams) => void;

  static async listen(state: string) {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Callback(server, state);
  }

  constructor(server: ReturnType<typeof createServer>, state: string) {
    this.#server = server;
    this.#state = state;
    this.#found = new Promise((resolve) => (this.#resolve = resolve));
    server.on('request', (request, response) => {
      const asked = requestUrl(request.url);
      const params = asked?.pathname === PATH && request.method === 'GET' ? asked.searchParams : undefined;
      const isIt = params !== undefined && this.#isExpected(params.get('state'));
      response.writeHead(isIt ? 200 : 400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
      // The process may end after the login. So the login waits until the browser has its page, or is gone.
      if (isIt) response.once('close', () => this.#resolve(params));
      response.end(
        isIt ? 'You can close this page and go back to the terminal.\n' : 'This page does not belong to the login.\n',
      );
    });
  }

  get url() {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${PATH}`;
  }

  /** @returns the parameters that the page of the login gives to the browser */
  async answer(): Promise<URLSearchParams> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('nobody logged in within 5 minutes')), LOGIN_MS);
    });
    const params = await Promise.race([this.#found, late]).finally(() => clearTimeout(timer));
    const error = params.get('error');
    if (error !== null) throw new Error(`the login was refused: ${error.slice(0, 200)}`);
    return params;
  }

  /** Responses that are under way are completed. */
  close() {
    this.#server.close();
  }

  #isExpected(state: string | null) {
    const [given, wanted] = [Buffer.from(state ?? ''), Buffer.from(this.#state)];
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}
