import { describe, isPlainObject } from '../../contract/describe';
import { kindOf } from '../../json-schema/plain-data';
import { JsonSchema, NotJsonError, UncheckableError, UnusableSchemaError } from '../../json-schema';
import type { Foreign } from '../../contract/foreign';
import type { Issue } from '../../contract/standard-schema';

/** The input of a tool that has a JSON Schema. */
export class JsonInput {
  #schema;
  #takesObject;

  /** @param schema unusable parts are ignored */
  constructor(schema: Foreign) {
    this.#schema = new JsonSchema(schema, { isLenient: true });
    this.#takesObject = schema.type === 'object';
  }

  /** @returns `value` is the JSON data that was checked */
  async validate(input: unknown, signal?: AbortSignal): Promise<{ value: unknown } | { issues: readonly Issue[] }> {
    if (this.#takesObject && !isPlainObject(input)) {
      return { issues: [{ message: `it must be one object, got ${shown(input)}` }] };
    }
    try {
      const checked = await this.#schema.check(input, signal);
      if (checked.issues === undefined) return { value: checked.value };
      return { issues: checked.issues.map(({ message }) => ({ message })) };
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof NotJsonError) return { issues: [{ message }] };
      if (error instanceof UncheckableError || error instanceof UnusableSchemaError)
        return { issues: [{ message: `it cannot be checked: ${message}` }] };
      throw error;
    }
  }
}

/** @param input not a plain object */
function shown(input: unknown) {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? kindOf(input) : describe(input);
}
