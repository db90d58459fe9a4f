import { isPlainObject } from '../../contract/describe';

/** What a model is told whose input is none. */
export const WRONG_INPUT = 'the input must be an object with the string `code`';

/** Whether a model has given what the code tool takes: not all frameworks check that. */
export function isCodeInput(value: unknown): value is { code: string } {
  return isPlainObject(value) && typeof value.code === 'string';
}
