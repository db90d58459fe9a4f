import { describe, isPlainObject } from '../contract/describe';
import { hasMoreParts } from '../contract/parts';
import { checkOf, maxPartsOf } from '../contract/standard-schema';
import { hostTooSlow, invalidState, schemaFailed } from './errors';
import { withTimeLimit } from '../contract/time-limit';
import type { Foreign } from '../contract/foreign';
import type { SandboxIssue } from './errors';

/** A library's schema, by https://standardschema.dev: zod, valibot, arktype and others. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardSchemaResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: ReadonlyArray<StandardSchemaIssue> };

export interface StandardSchemaIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

/** The output type of a schema. */
export type StateOf<Schema> = Schema extends StandardSchemaV1<infer _Input, infer Output> ? Output : never;

/** The dashboard of the specification: a title and panels. Other fields are allowed too. */
export interface DashboardState {
  title: string;
  description?: string;
  panels: DashboardPanel[];
  [field: string]: unknown;
}

export interface DashboardPanel {
  /** The kind of panel: `line`, `candles`, `table`, … */
  type: string;
  id?: string;
  title?: string;
  [field: string]: unknown;
}

const MAX_ISSUES = 50;
/** Maximum number of panels in a state. */
const MAX_PANELS = 100_000;

/** The default {@link SandboxManagerOptions.stateSchema}. */
export const dashboardState: StandardSchemaV1<unknown, DashboardState> = {
  '~standard': {
    version: 1,
    vendor: 'ses-executor',
    validate(value) {
      const issues = dashboardIssues(value);
      return issues.length > 0 ? { issues } : { value: value as DashboardState };
    },
  },
};

/** Accepts every state. */
export const anyState: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'ses-executor', validate: (value) => ({ value }) },
};

function dashboardIssues(value: unknown) {
  const issues: StandardSchemaIssue[] = [];
  const expect = (isRight: boolean, what: string, given: unknown, ...path: PropertyKey[]) => {
    if (!isRight && issues.length < MAX_ISSUES)
      issues.push({ message: `must be ${what}, got ${describe(given)}`, path });
  };
  if (!isPlainObject(value)) {
    expect(false, 'an object with `title` and `panels`', value);
    return issues;
  }
  const isText = (text: unknown) => typeof text === 'string';
  const isOptionalText = (text: unknown) => text === undefined || isText(text);
  expect(isText(value.title), 'a string', value.title, 'title');
  expect(isOptionalText(value.description), 'a string', value.description, 'description');
  expect(Array.isArray(value.panels), 'an array', value.panels, 'panels');
  const panels = Array.isArray(value.panels) ? value.panels : [];
  // A sparse array may have a far larger `length` than it has elements.
  for (let at = 0; at < Math.min(panels.length, MAX_PANELS) && issues.length < MAX_ISSUES; at++) {
    const panel = panels[at];
    expect(isPlainObject(panel), 'an object', panel, 'panels', at);
    if (!isPlainObject(panel)) continue;
    expect(isText(panel.type) && panel.type !== '', 'a non-empty string', panel.type, 'panels', at, 'type');
    expect(isOptionalText(panel.id), 'a string', panel.id, 'panels', at, 'id');
    expect(isOptionalText(panel.title), 'a string', panel.title, 'panels', at, 'title');
  }
  if (issues.length === 0) expect(panels.length <= MAX_PANELS, `an array of at most ${MAX_PANELS}`, panels, 'panels');
  return issues;
}

/**
 * The schema's output for `value`. An asynchronous schema has as much time as a program, and only until the signal is
 * aborted.
 *
 * @internal
 * @param until aborts the wait, which then rejects with the signal's reason
 * @throws {import('./errors').SandboxError} with each invalid path, or with the error that the schema has thrown
 */
export async function validState(
  schema: StandardSchemaV1,
  value: unknown,
  until: { timeoutMs: number; signal: AbortSignal },
) {
  const validating = validated(schema, value).catch((thrown) => {
    throw schemaFailed(thrown);
  });
  const late = () => hostTooSlow('The state schema', 'stateSchema', until.timeoutMs);
  const result = await withTimeLimit(validating, { ...until, late });
  if (result.issues !== undefined) throw invalidState(result.issues);
  return result.value;
}

/** @returns rejects with the error that the schema throws */
async function validated(
  schema: StandardSchemaV1,
  value: unknown,
): Promise<{ value: unknown; issues?: undefined } | { issues: SandboxIssue[] }> {
  // The schemas of this package have their own bounds.
  const isOwn = schema === dashboardState || schema === anyState;
  const max = maxPartsOf(schema);
  if (!isOwn && hasMoreParts(value, max)) {
    return { issues: [{ path: '', message: `must have at most ${max} parts to be checked by this schema` }] };
  }
  const result = (await checkOf(schema)(value)) as Awaited<ReturnType<StandardSchemaV1['~standard']['validate']>>;
  if (result.issues === undefined) return { value: result.value };
  const issues = result.issues.slice(0, MAX_ISSUES).map(({ message, path = [] }) => ({
    path: path.map((part) => String(typeof part === 'object' && part !== null ? part.key : part)).join('.'),
    message,
  }));
  return { issues };
}

/** @internal */
export function isStandardSchema(value: Foreign): value is StandardSchemaV1 {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject && typeof value['~standard']?.validate === 'function';
}
