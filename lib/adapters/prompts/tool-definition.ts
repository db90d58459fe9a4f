// Tools, their inputs and schemas, as callers describe them.

/** A schema of zod, Valibot, ArkType or another library: see https://standardschema.dev. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a schema of anything, whose output is not known
export interface StandardSchema<Output = any> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** JSON Schema. Objects have no index signature here, so that interfaces are accepted. */
export type JsonSchema = boolean | object;

/** Type names of smolagents. JSON Schema has most of them too. */
export type ToolTypeName =
  'string' | 'boolean' | 'integer' | 'number' | 'image' | 'audio' | 'array' | 'object' | 'any' | 'null' | (string & {});

/** One input of a tool (`ToolInput` of smolagents-ts). It is required unless it has `default` or `nullable`. */
export interface ToolInput {
  /** One type, or the list of possible types. */
  type?: ToolTypeName | readonly ToolTypeName[] | undefined;
  description?: string | undefined;
  /** Whether the input may be `null`. An omitted input is `null` too. */
  nullable?: boolean | undefined;
  /** The value of an omitted input. */
  default?: unknown;
  enum?: readonly unknown[] | undefined;
  items?: ToolInput | undefined;
  properties?: Readonly<Record<string, ToolInput>> | undefined;
  additionalProperties?: ToolInput | boolean | undefined;
  anyOf?: readonly ToolInput[] | undefined;
}

/**
 * The definition of a tool.
 *
 * `inputs` are the inputs of a smolagents `Tool`. Each one is a separate parameter. `inputSchema`, `input_schema`,
 * `parameters` and `schema` are schemas of the single object that the tool takes, as in MCP, Anthropic, function
 * calling and LangChain. They are JSON Schema, or a Standard Schema that provides JSON Schema, such as those of zod 4.
 */
export interface ToolDefinition {
  /** An identifier, or several identifiers joined by dots: `Host.readDoc`. */
  name: string;
  description?: string | undefined;
  inputs?: Readonly<Record<string, ToolInput>> | JsonSchema | StandardSchema | undefined;
  inputSchema?: JsonSchema | StandardSchema | undefined;
  input_schema?: JsonSchema | StandardSchema | undefined;
  parameters?: JsonSchema | StandardSchema | undefined;
  schema?: JsonSchema | StandardSchema | undefined;
  output_type?: ToolTypeName | JsonSchema | StandardSchema | undefined;
  outputType?: ToolTypeName | JsonSchema | StandardSchema | undefined;
  /** A more precise alternative to `output_type`. It takes precedence. */
  output_schema?: unknown;
  outputSchema?: unknown;
  output_description?: string | undefined;
  outputDescription?: string | undefined;
  output_example?: unknown;
  outputExample?: unknown;
  /** Whether the tool returns a promise. Default `true`. */
  async?: boolean | undefined;
}

/** A definition as function calling wraps it. `to_dict()` of a smolagents tool returns this form. */
export interface FunctionDefinition {
  type: 'function';
  function: ToolDefinition;
}

/** An agent that can be given tasks. It is called as `name(task, additional_args)`. */
export interface ManagedAgentDefinition {
  name: string;
  description?: string | undefined;
}

/** A list, or a map or object by name. */
export type ListOf<T> = readonly T[] | ReadonlyMap<string, T> | Readonly<Record<string, T>>;
