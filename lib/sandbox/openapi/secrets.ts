import { inspect } from 'node:util';
import type { Foreign } from '../../contract/foreign';

/** Shorter values occur in text by chance. */
const MIN_LENGTH = 4;
const HIDDEN = '***';
/** Names of headers and of parameters in a base URL whose values are secrets. */
const SECRET_NAME = /auth|cookie|key|token|secret|passw|session|signature|credential/i;
/** The part of an error that is examined: as much as a log of it would show. */
const LOOK = { depth: 8, maxArrayLength: 1_000, maxStringLength: 100_000, breakLength: Infinity, getters: false };

/** The credentials of one request, which must not occur in any text. */
export class Secrets {
  #texts: Set<string> = new Set();

  /** @param value a credential, in each form in which it is sent or shown */
  add(value: string) {
    const encoded = encodeURIComponent(value);
    const forms = [value, value.trim(), encoded, encoded.replaceAll('%20', '+'), Buffer.from(value).toString('base64')];
    // JSON shows a line break as an escape, and so does `util.inspect`.
    forms.push(JSON.stringify(value).slice(1, -1), inspect(value).slice(1, -1));
    for (const form of forms) if (form.length >= MIN_LENGTH) this.#texts.add(form);
  }

  /** Adds `user:password`, and both parts separately. */
  addLogin(login: string) {
    this.add(login);
    for (const part of login.split(/:(.*)/s)) if (part !== '') this.add(part);
  }

  /** Adds a header of the host if its name says that the value is secret. */
  addHeader(name: string, value: string) {
    if (!SECRET_NAME.test(name)) return;
    this.add(value);
    if (/cookie/i.test(name)) for (const pair of value.split(';')) this.add(pair.replace(/^[^=]*=/, '').trim());
    const [, scheme = '', rest = ''] = /^(\S+)\s+(\S.*)$/s.exec(value.trim()) ?? [];
    if (rest === '') return;
    this.add(rest);
    if (/^basic$/i.test(scheme)) this.addLogin(Buffer.from(rest, 'base64').toString());
  }

  /** Adds a parameter of the base URL. */
  addQuery(name: string, value: string) {
    if (SECRET_NAME.test(name)) this.add(value);
  }

  /** The text with all secrets replaced. */
  hiddenIn(text: string) {
    let hidden = text;
    // The longest first, because a secret may be part of another one.
    for (const secret of [...this.#texts].sort((a, b) => b.length - a.length))
      hidden = hidden.replaceAll(secret, HIDDEN);
    return hidden;
  }

  /** Returns the error, or a replacement if its messages, causes or properties contain secrets. */
  hiddenFrom(error: Foreign): Foreign {
    const shown = shownIn(error);
    if (shown !== undefined && this.hiddenIn(shown) === shown) return error;
    const { name, code, status } = Object(error);
    const message = typeof error?.message === 'string' ? error.message : String(shown ?? 'the request has failed');
    const clean = Object.assign(new Error(this.hiddenIn(message)), { name: typeof name === 'string' ? name : 'Error' });
    if (typeof code === 'string' || typeof code === 'number') Object.assign(clean, { code });
    if (typeof status === 'number') Object.assign(clean, { status });
    return clean;
  }
}

/** @returns undefined if the error cannot be examined */
function shownIn(error: unknown) {
  try {
    return inspect(error, LOOK);
  } catch {
    return undefined;
  }
}
