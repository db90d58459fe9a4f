// The API that programs of models call, as the host describes and implements it.

/** A JSON Schema object: 2020-12, or the version that its `$schema` names, drafts 4 to 7. */
export type JsonSchema = { [keyword: string]: unknown };

/** The methods that programs can call. */
export interface SandboxRegistry {
  sources: SandboxSource[];
  /**
   * Schemas that methods share: `{ "$ref": "#/$defs/name" }` in `params` without their own definition of that name.
   * Names consist of letters, digits, `_`, `.` and `-`.
   */
  $defs?: { [name: string]: JsonSchema };
}

export interface SandboxSource {
  /** An identifier, such as `market`. */
  name: string;
  description?: string | undefined;
  methods: SandboxMethod[];
}

export interface SandboxMethod {
  /** An identifier, such as `getKline`. */
  name: string;
  description?: string | undefined;
  /**
   * Schema of the one parameter, an object; default: any object. It is checked before the adapter is called. `format`
   * is not checked. `pattern` is matched by RE2 in linear time. Lookarounds and backreferences are unsupported. Repeats
   * beyond 1,000 are supported only after `^` and without loops. A call that passes a string for an unsupported pattern
   * fails with `ERR_INVALID_SCHEMA`, as does a call that reaches a reference without a target. Referenced schemas are
   * compiled when parameters first reach them.
   */
  params?: JsonSchema | undefined;
  /** Schema of the result, for the model; not checked. */
  result?: JsonSchema | undefined;
  examples?: unknown[] | undefined;
}

/* eslint-disable @typescript-eslint/no-explicit-any -- each host has its own context, and adapters declare their parameters */

/** Information for an adapter about a call. */
export interface SdkCall<Context = any> {
  source: string;
  method: string;
  /** Aborted when the execution ends, for any reason. Later answers of the adapter are dropped. */
  signal: AbortSignal;
  /** The context of the execution. Guests never see it. */
  context: Context;
  /**
   * Set if the program called the method with `{ response: true }` as second argument. Adapters of
   * `registryFromOpenApi` then return `{ status, headers, body }`.
   */
  wantsResponse?: true;
}

/**
 * Executes one method. `params` are JSON and match the schema, with two exceptions. Bytes that a program passes match a
 * schema of strings, and are a `Uint8Array`. An integer beyond 2^53 that it passes as a string is a `BigInt`. The
 * result is passed to the guest as a structured clone.
 */
export type SandboxAdapter<Context = any> = (params: any, call: SdkCall<Context>) => unknown;

/** Adapters by source and method, or one function for all. */
export type SandboxAdapters<Context = any> =
  | { [source: string]: { [method: string]: SandboxAdapter<Context> } }
  | ((source: string, method: string, params: any, call: SdkCall<Context>) => unknown);
