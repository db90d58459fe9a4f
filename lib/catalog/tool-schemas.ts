import type { Foreign } from '../contract/foreign';

/** Keys for the schema of a tool's input object in MCP, Anthropic, function calling and LangChain. */
export const INPUT_KEYS = ['inputSchema', 'input_schema', 'parameters', 'schema'] as const;
export const OUTPUT_KEYS = ['outputSchema', 'output_schema'] as const;

/** @returns undefined if there is none */
export function inputSchemaOf(tool: Foreign): Foreign {
  return valueOf(tool, INPUT_KEYS);
}

/** @returns undefined if there is none */
export function outputSchemaOf(tool: Foreign): Foreign {
  return valueOf(tool, OUTPUT_KEYS);
}

/** @param keys the first key that has a value counts */
function valueOf(tool: Foreign, keys: readonly string[]) {
  return keys.map((key) => tool[key]).find((value) => value !== undefined && value !== null);
}
