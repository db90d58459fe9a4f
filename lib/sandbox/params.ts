import { InvalidCallError } from './errors';
import { describe, isPlainObject } from '../contract/describe';
import { pathText } from '../json-schema/issues';
import { JsonSchema, NotJsonError, UncheckableError, UnusableSchemaError } from '../json-schema';
import type { SharedSchemas } from '../json-schema';
import type { SandboxIssue } from './errors';
import type { Foreign } from '../contract/foreign';

/**
 * Property of adapters: the paths of parameters that are omitted if they are `null` and their schemas do not allow it.
 */
export const NULLS_OMITTED: unique symbol = Symbol('nullsOmitted');

/** Parses and checks the parameters of one method, within the budget that all schema checks have. */
export class ParamsReader {
  path;
  maxBytes;

  #schemaText;
  #shared;
  #nullsOmitted;
  /** Compiled by the first call. */
  #schema: JsonSchema | undefined;

  /**
   * @param path as guests call the method
   * @param nullsOmitted see {@link NULLS_OMITTED}
   */
  constructor(
    path: string,
    schemaText: string,
    maxBytes: number,
    shared?: SharedSchemas,
    nullsOmitted: readonly Path[] = [],
  ) {
    this.path = path;
    this.maxBytes = maxBytes;
    this.#schemaText = schemaText;
    this.#shared = shared;
    this.#nullsOmitted = nullsOmitted;
  }

  /**
   * @param text JSON
   * @param options.bytes paths of strings that are bytes in base64. Schemas see the strings, and adapters the bytes.
   * @returns rejects with an `InvalidCallError` that names each invalid parameter
   */
  async read(
    text: unknown,
    { bytes, signal }: { bytes?: unknown; signal?: AbortSignal } = {},
  ): Promise<Record<string, unknown>> {
    if (typeof text !== 'string') throw this.#invalid('they must be JSON');
    if (text.length > this.maxBytes) {
      throw this.#invalid(`they take ${text.length} characters of JSON, and at most ${this.maxBytes} are allowed`);
    }
    let params;
    try {
      params = JSON.parse(text);
    } catch {
      throw this.#invalid('they must be JSON');
    }
    if (!isPlainObject(params)) throw this.#invalid(`they must be one object, got ${describe(params)}`);
    const integers = bigIntegersIn(params);
    let checked = await this.#check(params, signal);
    if (checked.issues !== undefined && this.#omitNulls(params)) {
      checked = await this.#check(params, signal);
    }
    if (checked.issues !== undefined && integers.length > 0) {
      // Integers beyond 2^53 are strings in answers, and programs pass them on.
      const { issues } = checked;
      const numbers = integers.filter(({ path }) => issues.some((issue) => isAboutType(issue, path)));
      for (const { path, number } of numbers) put(params, path, () => number);
      checked = await this.#check(params, signal);
      if (checked.issues === undefined) {
        for (const { path, text: digits } of numbers) put(checked.value, path, () => BigInt(digits));
      }
    }
    if (checked.issues === undefined) {
      for (const path of pathsIn(bytes)) put(checked.value, path, bytesOf);
      return checked.value as Record<string, unknown>;
    }
    const { issues } = checked;
    const told: SandboxIssue[] = issues.map(({ path, message }) => ({ path, message }));
    throw this.#invalid(told.map(({ message }) => message).join('; '), told);
  }

  async #check(params: object, signal: AbortSignal | undefined) {
    this.#schema ??= new JsonSchema(JSON.parse(this.#schemaText), { shared: this.#shared });
    try {
      return await this.#schema.check(params, signal);
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof NotJsonError) throw this.#invalid(message.replace(/^it /, 'they '));
      if (error instanceof UncheckableError) throw this.#invalid(`they cannot be checked: ${message}`);
      if (!(error instanceof UnusableSchemaError)) throw error;
      throw new InvalidCallError('ERR_INVALID_SCHEMA', `the schema of ${this.path} cannot be used: ${message}`, this);
    }
  }

  /** @returns whether there were any */
  #omitNulls(params: object) {
    const nulls = this.#nullsOmitted.filter((path) => valueAt(params, path) === null);
    for (const path of nulls) delete (valueAt(params, path.slice(0, -1)) as Foreign)[path[path.length - 1]];
    return nulls.length > 0;
  }

  #invalid(reason: string, issues: SandboxIssue[] = [{ path: '', message: reason }]) {
    const message = `the parameters of ${this.path} are not valid: ${reason}`;
    return new InvalidCallError('ERR_INVALID_PARAMS', message, { path: this.path, issues });
  }
}

/** Maximum number of strings in one call that are bytes, or integers beyond 2^53. */
const MAX_PLACES = 1_000;

type Path = (string | number)[];

/** The strings that are integers beyond 2^53. */
function bigIntegersIn(params: object) {
  const found: { path: Path; text: string; number: number }[] = [];
  const open: { value: object; path: Path }[] = [{ value: params, path: [] }];
  for (let next = open.pop(); next !== undefined && found.length < MAX_PLACES; next = open.pop()) {
    for (const [key, inner] of Object.entries(next.value)) {
      if (typeof inner === 'object' && inner !== null) open.push({ value: inner, path: [...next.path, key] });
      if (typeof inner !== 'string' || !/^-?[1-9]\d{15,39}$/.test(inner)) continue;
      const number = Number(inner);
      if (!Number.isSafeInteger(number)) found.push({ path: [...next.path, key], text: inner, number });
    }
  }
  return found;
}

function isAboutType({ path, keyword, reason }: { path: string; keyword: string; reason: string }, wanted: Path) {
  return keyword === 'type' && path === pathText(wanted) && /\b(?:integer|number)\b/.test(reason);
}

/** @param given by a guest */
function pathsIn(given: unknown): Path[] {
  if (!Array.isArray(given)) return [];
  return given.slice(0, MAX_PLACES).filter((path) => Array.isArray(path) && path.length > 0 && path.length < 100);
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce((at: Foreign, key) => (isPlainObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), root);
}

/** Replaces the string at a path. Nothing happens if there is none. */
function put(root: object, path: Path, change: (given: unknown) => unknown) {
  let at: Foreign = root;
  for (const key of path.slice(0, -1)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return;
    at = at[key];
  }
  const last = path[path.length - 1];
  if (typeof at !== 'object' || at === null || !Object.hasOwn(at, last)) return;
  if (typeof at[last] === 'string' || typeof at[last] === 'number') at[last] = change(at[last]);
}

function bytesOf(base64: unknown) {
  return typeof base64 === 'string' ? new Uint8Array(Buffer.from(base64, 'base64')) : base64;
}
