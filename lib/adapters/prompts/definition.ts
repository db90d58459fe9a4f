import { describe } from '../../contract/describe';
import { isOfLibrary, isStandardSchema, jsonSchemaOf } from '../../contract/standard-schema';
import { allProperties, isSchema, requirementsOf, resolve, typeContext, typeText } from '../../catalog/schema-types';
import { inputSchemaOf, outputSchemaOf } from '../../catalog/tool-schemas';
import type { Foreign } from '../../contract/foreign';
import type { Schema, TypeContext } from '../../catalog/schema-types';

/** The definition of a tool, normalized from any accepted form. */
export interface Definition {
  /** The name including namespaces: `Host.readDoc`. */
  name: string;
  description: string;
  isAsync: boolean;
  /** Whether the tool takes one object of named arguments. */
  takesObject: boolean;
  /**
   * Whether the parameters do not describe that object completely: alternatives, a record, a list. `parameters` then
   * includes the parameters of the alternatives.
   */
  isWhole: boolean;
  parameters: Parameter[];
  /** The context for the types of parameters. */
  context: TypeContext;
  /** A schema, or the name of a type. */
  output: unknown;
  outputDescription: string;
  /** Undefined if there is none. */
  outputExample: unknown;
}

export interface Parameter {
  name: string;
  schema: unknown;
  isOptional: boolean;
  /** The schema, merged with the target of its `$ref`. */
  facts: Schema;
}

/** Keywords of JSON Schema whose values are lists. */
const LISTS = ['type', 'required', 'anyOf', 'oneOf', 'allOf'];
/** Types of an object after its properties are removed: other properties are not described, or are allowed. */
const ANY_OBJECT = 'object';
const OPEN_OBJECT = 'Record<string, any>';

/** @throws {TypeError} */
export function readDefinition(tool: unknown): Definition {
  if (!isSchema(tool)) throw new TypeError(`a tool must be an object with a name and inputs, got ${describe(tool)}`);
  const given = tool.type === 'function' && isSchema(tool.function) ? tool.function : tool;
  const { name } = given;
  if (typeof name !== 'string' || name === '') {
    throw new TypeError(`a tool must have a name, a non-empty string, got ${describe(name)}`);
  }
  const asObject = inputSchemaOf(given);
  const inputs = plain(given.inputs ?? asObject ?? {}, 'input', name);
  if (!isSchema(inputs)) throw new TypeError(`inputs of the tool ${name} must be an object, got ${describe(inputs)}`);
  const isDocument = isStandardSchema(given.inputs) || (given.inputs === undefined && asObject !== undefined);
  const parameters = parametersOf(inputs, name, isDocument);
  return {
    name,
    description: text(given.description),
    isAsync: given.async !== false,
    takesObject: isDocument || parameters.isWhole,
    ...parameters,
    output: plain(outputSchemaOf(given) ?? given.output_type ?? given.outputType, 'output', name) ?? 'any',
    outputDescription: text(given.output_description ?? given.outputDescription),
    outputExample: given.output_example ?? given.outputExample,
  };
}

/**
 * @param schema JSON Schema, a Standard Schema, or inputs by name that may be Standard Schemas
 * @returns the schema without Standard Schemas, or undefined for an output that JSON Schema cannot express
 */
function plain(schema: Foreign, side: 'input' | 'output', tool: string): Foreign {
  if (isStandardSchema(schema)) return jsonSchemaOf(schema, side, `the ${side} schema of the tool ${tool}`);
  if (side === 'output' || !isSchema(schema) || !Object.values(schema).some(isOfLibrary)) return schema;
  const properties = Object.entries(schema).map(([name, input]) => [
    name,
    isStandardSchema(input) ? jsonSchemaOf(input, side, `the input ${name} of the tool ${tool}`) : input,
  ]);
  const required = Object.keys(schema).filter((name) => !isOptional(schema[name]));
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

function isOptional(input: Foreign) {
  if (isStandardSchema(input)) return 'value' in input['~standard'].validate(undefined);
  return input?.default !== undefined || input?.nullable === true;
}

/**
 * @param inputs inputs by name, or JSON Schema of an object whose properties are the inputs
 * @param isDocument whether the inputs are known to be JSON Schema
 */
function parametersOf(
  inputs: Schema,
  tool: string,
  isDocument: boolean,
): Pick<Definition, 'parameters' | 'context' | 'isWhole'> {
  const document = resolve(inputs, inputs);
  const isJsonSchema = isDocument || (isSchema(document) && (document !== inputs || hasKeywords(inputs)));
  const context = typeContext(inputs, isJsonSchema);
  const isWhole = isJsonSchema && !isObjectOfProperties(document, inputs);
  const holder = isJsonSchema ? Object(document) : { properties: inputs };
  const properties = isWhole ? allProperties(document, inputs) : (holder.properties ?? {});
  const isRequired = requirementsOf({ ...holder, properties }, context);
  const parameters = Object.keys(properties).map((name) => {
    const schema = properties[name];
    if (!isSchema(schema) && typeof schema !== 'boolean') {
      throw new TypeError(
        `the input ${name} of the tool ${tool} must be an object with a type, got ${describe(schema)}`,
      );
    }
    const facts = { ...Object(resolve(schema, inputs)), ...Object(schema) };
    return { name, schema, facts, isOptional: !isRequired(name) };
  });
  return { parameters, context, isWhole };
}

/**
 * Whether a value is JSON Schema rather than inputs by name. An input that is named `type` is an object. The keyword
 * `type` is not an object.
 */
function hasKeywords(inputs: Schema) {
  return typeof inputs.type === 'string' || LISTS.some((keyword) => Array.isArray(inputs[keyword]));
}

/** Whether a schema describes an object whose properties describe it completely. */
function isObjectOfProperties(schema: unknown, root: unknown) {
  if (!isSchema(schema)) return false;
  const { properties } = schema;
  const left = typeText({ ...schema, ...(isSchema(properties) && { properties: {} }) }, typeContext(root, true));
  return left === ANY_OBJECT || (left === OPEN_OBJECT && Object.keys(Object(properties)).length > 0);
}

function text(value: unknown) {
  return typeof value === 'string' ? value.trim() : '';
}
