// Tools of agents, as callers pass them.

import type { ToolInput, ToolTypeName } from '../prompts/tool-definition';

/** A tool of smolagents-ts, reduced to the members that the executor needs. Any `BaseTool` is accepted. */
export interface SmolagentsTool {
  name: string;
  description?: string;
  inputs: Readonly<Record<string, ToolInput>>;
  output_type?: ToolTypeName;
  /** Receives one object that has a value for each input. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tools declare the arguments that they expect
  forward(args: any): unknown;
}

/**
 * A managed agent, reduced to the members that the executor needs. Guest code calls it as `name(task,
 * additional_args)`, or with one object that contains both.
 */
export interface ManagedAgent {
  name: string;
  run(task: string, options: { additional_args?: Record<string, unknown>; reset: true }): unknown;
}

/** Values that can become a function of guest code. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- functions declare the arguments that they expect
export type SmolagentsCallable = SmolagentsTool | ManagedAgent | ((...args: any[]) => unknown);

/** Tools by the name that guest code uses for them, including namespaces, as for `SESExecutor.sendTools`. */
export interface SmolagentsToolRecord {
  [name: string]: SmolagentsCallable | SmolagentsToolRecord;
}

/** Tools in a list, by their own names (`Host.readDoc` is in the namespace `Host`), or an object of tools by name. */
export type SmolagentsTools =
  readonly (SmolagentsTool | ManagedAgent)[] | ReadonlyMap<string, SmolagentsCallable> | SmolagentsToolRecord;
