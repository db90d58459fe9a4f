import { performance, setImmediate } from './clock';
import { isPlainObject } from './describe';
import { hasMoreParts } from './parts';
import { isStandardSchema, ownConverter } from './own-json-schema';
import { requirePeer } from './peer-dependency';
import { processMs, threadMs } from './thread-time';
import type { Foreign } from './foreign';
import type { JsonSchema } from './own-json-schema';

// Schemas of libraries such as zod that have the property `~standard` of Standard Schema (https://standardschema.dev).

/**
 * The number of parts of a value that a library's schema may check in one piece: with unions, a part takes some
 * microseconds.
 */
export const MAX_PARTS = 20_000;
/**
 * Processor time for a check by zod. The clock is read when zod asks for the message of an issue, which it also does
 * for issues that a union drops.
 */
const MAX_CHECK_MS = 40;
const MAX_ISSUES = 5;
const MAX_TEXT = 300;
const tooManyParts = (max: number) => ({
  message:
    `it has more than ${max} parts, where repeated parts count each time, ` +
    'and this schema of a library checks no more; pass less at a time, or give the tool a JSON Schema',
});

/** The issue of a value that takes a library too long to check. */
export const TOO_SLOW = {
  message:
    'it takes too long to check, because too many of its parts are not as declared, or are tried against too many ' +
    'alternatives; correct them, or pass less at a time',
};

export { isStandardSchema };

/**
 * Whether it is a schema of a library. The JSON Schema that zod derives from a schema is a Standard Schema, too, but it
 * cannot be recognized as one.
 */
export function isOfLibrary(value: Foreign) {
  return isStandardSchema(value) && !(isPlainObject(value) && !Object.keys(value).includes('~standard'));
}

/** Whether it is an object with such schemas as values, which is not a JSON Schema. */
export function holdsSchemas(value: unknown) {
  return isPlainObject(value) && Object.values(value as object).some(isOfLibrary);
}

/** Whether it is a zod 3 schema. These cannot convert themselves to JSON Schema; the frameworks that know them do. */
export function isZod3(schema: Foreign) {
  return isStandardSchema(schema) && schema['~standard'].vendor === 'zod' && !('_zod' in schema);
}

/**
 * The JSON Schema of a schema's input or output.
 *
 * @param what the schema is for, for errors
 * @returns undefined if JSON Schema cannot express the output
 * @throws {TypeError} if it cannot be converted
 */
export function jsonSchemaOf(schema: Foreign, side: 'input' | 'output', what: string): JsonSchema | undefined {
  const convert = converterOf(schema, side);
  if (convert === undefined) {
    const { vendor } = schema['~standard'];
    throw new TypeError(
      `${what} is a schema of ${vendor} that cannot be converted to JSON Schema; pass the JSON Schema instead`,
    );
  }
  try {
    return { ...convert() };
  } catch (cause) {
    if (side === 'output') return undefined;
    throw new TypeError(`${what} cannot be converted to JSON Schema: ${(cause as Error).message}`, { cause });
  }
}

function converterOf(schema: Foreign, side: 'input' | 'output'): (() => JsonSchema) | undefined {
  const own = ownConverter(schema, side);
  if (own !== undefined) return own;
  if ('_zod' in schema) {
    // If the package is version 3, only this part of it is version 4.
    const { toJSONSchema } = requirePeer('a schema of zod', 'zod', () => require('zod/v4'));
    return () => toJSONSchema(schema, { io: side });
  }
  if (isZod3(schema)) {
    const { zodToJsonSchema } = requirePeer('a schema of zod 3', 'zod-to-json-schema', () =>
      require('zod-to-json-schema'),
    );
    return () => zodToJsonSchema(schema) as JsonSchema;
  }
  return undefined;
}

/** Nodes of a JSON Schema in which alternatives are counted. */
const MAX_SCHEMA_NODES = 10_000;
const maxParts: WeakMap<object, number> = new WeakMap();

/**
 * The number of parts of a value that a library's schema may check in one piece. If the check does not stop when it
 * takes too long, it is lower for unions: a library tries a part against each alternative, which takes one to two
 * microseconds.
 */
export function maxPartsOf(schema: Foreign): number {
  if (isTimed(schema)) return MAX_PARTS;
  let max = maxParts.get(schema);
  if (max === undefined) {
    max = Math.floor(MAX_PARTS / alternativesIn(schema));
    maxParts.set(schema, max);
  }
  return max;
}

/** The alternatives of all unions in a schema; 1 if there are none, or if it has no form as JSON Schema. */
function alternativesIn(schema: Foreign) {
  let all = 0;
  try {
    const open: unknown[] = [jsonSchemaOf(schema, 'input', 'schema')];
    for (let visited = 0; open.length > 0 && visited < MAX_SCHEMA_NODES; visited++) {
      const node: Foreign = open.pop();
      if (typeof node !== 'object' || node === null) continue;
      for (const union of [node.anyOf, node.oneOf]) if (Array.isArray(union)) all += union.length;
      open.push(...Object.values(node));
    }
  } catch {
    return 1;
  }
  return Math.max(1, all);
}

/**
 * Checks a value with a schema of a library. That cannot be done in slices, so the number of parts of the value is
 * limited.
 *
 * @returns the first few issues
 */
export async function validate(
  schema: Foreign,
  value: unknown,
): Promise<{ value: unknown } | { issues: readonly Issue[] }> {
  const max = maxPartsOf(schema);
  if (hasMoreParts(value, max)) return { issues: [tooManyParts(max)] };
  const result = await checkOf(schema)(value);
  return result.issues === undefined ? { value: result.value } : { issues: result.issues.slice(0, MAX_ISSUES) };
}

/** Checks that stop when they take too long. */
const timed: WeakSet<Function> = new WeakSet();

/** Whether the check of a schema stops when it takes too long. */
export function isTimed(schema: Foreign) {
  return timed.has(checkOf(schema));
}

/** The check of a schema, in the form of Standard Schema. The check of a zod schema stops when it takes too long. */
export function checkOf(schema: Foreign): (value: unknown) => Foreign {
  const { vendor, validate: check } = schema['~standard'];
  if (vendor !== 'zod' || timed.has(check) || typeof schema.safeParse !== 'function') return check;
  const own = (value: unknown) => checkByZod(schema, value);
  timed.add(own);
  return own;
}

class SlowCheckError extends Error {}

/** The first attempt may be slow because code is not compiled yet, or because the machine is busy. */
const ATTEMPTS = 3;

async function checkByZod(schema: Foreign, value: unknown) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      // The time of all threads is known quickly, and suffices for most checks. Work of other threads counts in it, so
      // it does not decide.
      return await checkInTime(schema, value, attempt === 0 ? processMs : threadMs);
    } catch (thrown) {
      if (!(thrown instanceof SlowCheckError)) throw thrown;
    }
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return { issues: [TOO_SLOW] };
}

/**
 * @param usedMs returns processor time, which passes no faster than time, unless it is that of several threads
 * @throws {SlowCheckError}
 */
async function checkInTime(schema: Foreign, value: unknown, usedMs: () => number) {
  const startMs = usedMs();
  let lookAt = performance.now() + MAX_CHECK_MS;
  const lookAtClock = () => {
    const now = performance.now();
    if (now < lookAt) return;
    const leftMs = startMs + MAX_CHECK_MS - usedMs();
    if (leftMs <= 0) throw new SlowCheckError();
    lookAt = now + leftMs;
  };
  // Both leave the message unchanged.
  const errorMap = (_: unknown, { defaultError }: { defaultError: string }) => {
    lookAtClock();
    return { message: defaultError };
  };
  const given = '_zod' in schema ? { error: lookAtClock } : { errorMap };
  const resultOf = ({ success, data, error }: Foreign) => (success ? { value: data } : { issues: error.issues });
  try {
    return resultOf(schema.safeParse(value, given));
  } catch (thrown) {
    if (thrown instanceof SlowCheckError) throw thrown;
    // A part of the schema checks asynchronously.
    return resultOf(await schema.safeParseAsync(value, given));
  }
}

/**
 * A schema with its own check.
 *
 * @param validate as in Standard Schema
 */
export function standardSchema(vendor: string, jsonSchema: object, validate: (value: unknown) => Foreign) {
  const get = () => jsonSchema;
  return { '~standard': { version: 1, vendor, validate, jsonSchema: { input: get, output: get } } };
}

export type Issue = { message: string; path?: readonly (PropertyKey | { key: PropertyKey })[] };

/** The issues of a value, in one line. */
export function issuesText(issues: readonly Issue[]) {
  return issues
    .slice(0, MAX_ISSUES)
    .map(({ path = [], message }) => (path.length === 0 ? message : `${path.map(keyOf).join('.')}: ${message}`))
    .map((text) => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text))
    .join('; ');
}

/** @param part of a path, in either form of Standard Schema */
function keyOf(part: PropertyKey | { key: PropertyKey }) {
  return String(typeof part === 'object' ? part.key : part);
}
