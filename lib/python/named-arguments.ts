import { isPlainObject } from '../contract/describe';

/**
 * The one object that a tool takes, built from the arguments of a Python call. Positional arguments come first, and
 * keywords come last as an object.
 *
 * @param names of the tool's parameters, in their order
 * @throws {TypeError}
 */
export function namedArguments(names: string[], args: unknown[]): Record<string, unknown> {
  const last = args.at(-1);
  if (args.length === 1 && isPlainObject(last)) return last;
  const hasKeywords = isPlainObject(last) && areKeywords(Object.keys(last), names.slice(args.length - 1));
  const positional = hasKeywords ? args.slice(0, -1) : args;
  if (positional.length > names.length) {
    throw new TypeError(`called with ${positional.length} arguments; it takes (${names.join(', ')})`);
  }
  return { ...Object.fromEntries(positional.map((value, at) => [names[at], value])), ...(hasKeywords ? last : {}) };
}

/**
 * Whether these are names of parameters without an argument, and not keys of a dictionary argument.
 *
 * @param free names of the parameters after the ones that have arguments
 */
function areKeywords(keys: string[], free: string[]) {
  return keys.length > 0 && keys.every((name) => free.includes(name));
}
