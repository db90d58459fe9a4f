import { InvalidCallError } from './errors';
import { describe, isPlainObject } from '../contract/describe';
import { JsonSchema, NotJsonError, UncheckableError, UnusableSchemaError } from '../json-schema';
import type { SharedSchemas } from '../json-schema';
import type { SandboxIssue } from './errors';

/** Parses and checks the parameters of one method, within the budget that all schema checks have. */
export class ParamsReader {
  path;
  maxBytes;

  #schemaText;
  #shared;
  /** Compiled by the first call. */
  #schema: JsonSchema | undefined;

  /** @param path as guests call the method */
  constructor(path: string, schemaText: string, maxBytes: number, shared?: SharedSchemas) {
    this.path = path;
    this.maxBytes = maxBytes;
    this.#schemaText = schemaText;
    this.#shared = shared;
  }

  /**
   * @param text JSON
   * @returns rejects with an `InvalidCallError` that names each invalid parameter
   */
  async read(text: unknown, signal?: AbortSignal): Promise<Record<string, unknown>> {
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
    const checked = await this.#check(params, signal);
    if (checked.issues === undefined) return checked.value as Record<string, unknown>;
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

  #invalid(reason: string, issues: SandboxIssue[] = [{ path: '', message: reason }]) {
    const message = `the parameters of ${this.path} are not valid: ${reason}`;
    return new InvalidCallError('ERR_INVALID_PARAMS', message, { path: this.path, issues });
  }
}
