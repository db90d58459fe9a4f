import { isPlainObject } from '../../contract/describe';

/** The message to a model whose input is not valid. */
export const WRONG_INPUT = 'the input must be an object with the string `code`';

/** Whether the model's input is valid for the code tool. Not all frameworks check this. */
export function isCodeInput(value: unknown): value is { code: string } {
  return isPlainObject(value) && typeof value.code === 'string';
}
