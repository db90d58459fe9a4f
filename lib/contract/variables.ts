import { className, describe, isPlainObject } from './describe';
import { TransferLimitError, transferLimitExceeded } from './errors';

/**
 * @param variables the argument of `sendVariables()`
 * @returns their names
 * @throws {TypeError}
 */
export function namesOfVariables(variables: unknown): string[] {
  if (isPlainObject(variables)) return Object.keys(variables as object);
  const got = describe(variables);
  const shown = got === 'an object' ? `an instance of ${className(variables as object)}` : got;
  throw new TypeError(`variables must be a plain object of values by name, got ${shown}`);
}

/**
 * Converts variables to the form in which they are transferred.
 *
 * @param names of the variables
 * @throws {import('./errors').ExecutorError} if they are larger than the limit
 */
export function encodeVariables<T>(
  variables: Record<string, unknown>,
  names: string[],
  maxBytes: number,
  encode: (values: unknown[], path: string, maxBytes: number, shown: object) => T,
): T {
  const values = names.map((name) => variables[name]);
  try {
    return encode(values, 'variables', maxBytes, variables);
  } catch (error) {
    throw error instanceof TransferLimitError ? transferLimitExceeded(maxBytes, 'variables') : error;
  }
}
