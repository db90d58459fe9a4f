// @ts-check
'use strict';

const { describe } = require('../../contract/describe');
const { isOfLibrary, isStandardSchema, jsonSchemaOf } = require('../../contract/standard-schema');
const { allProperties, isRequired, isSchema, resolve, typeContext, typeText } = require('./schema-types');

/**
 * A tool's definition, whichever of the accepted shapes it has.
 *
 * @typedef {object} Definition
 * @property {string} name with its namespaces: `Host.readDoc`
 * @property {string} description
 * @property {boolean} isAsync
 * @property {boolean} takesObject whether the tool takes one object of named arguments
 * @property {boolean} isWhole whether that object is more than its parameters, by which it cannot be told: alternatives, a
 * record, a list. `parameters` are those of its alternatives, too
 * @property {Parameter[]} parameters
 * @property {import('./schema-types').TypeContext} context for the types of parameters
 * @property {unknown} output schema, or name of a type
 * @property {string} outputDescription
 * @property {unknown} outputExample undefined: none
 *
 * @typedef {object} Parameter
 * @property {string} name
 * @property {unknown} schema
 * @property {boolean} isOptional
 * @property {import('./schema-types').Schema} facts the schema, and what its `$ref` points to
 */

/** What the schema of the object that a tool takes is called: by MCP, Anthropic, function calling and LangChain. */
const INPUT_KEYS = /** @type {const} */ (['inputSchema', 'input_schema', 'parameters', 'schema']);
const OUTPUT_KEYS = /** @type {const} */ (['outputSchema', 'output_schema']);
/** Keywords of JSON Schema that are lists. */
const LISTS = ['type', 'required', 'anyOf', 'oneOf', 'allOf'];
/** What is left of an object's type without its properties: nothing, or that there may be others. */
const ANY_OBJECT = 'object';
const OPEN_OBJECT = 'Record<string, any>';

/**
 * @param {unknown} tool
 * @returns {Definition}
 * @throws {TypeError}
 */
function readDefinition(tool) {
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
 * @param {any} tool
 * @returns {any} undefined: none
 */
function inputSchemaOf(tool) {
  return valueOf(tool, INPUT_KEYS);
}

/**
 * @param {any} tool
 * @returns {any} undefined: none
 */
function outputSchemaOf(tool) {
  return valueOf(tool, OUTPUT_KEYS);
}

/**
 * @param {any} tool
 * @param {readonly string[]} keys the first that has a value counts
 */
function valueOf(tool, keys) {
  return keys.map((key) => tool[key]).find((value) => value !== undefined && value !== null);
}

/**
 * @param {any} schema JSON Schema, or a Standard Schema, or inputs by name that may be such
 * @param {'input' | 'output'} side
 * @param {string} tool
 * @returns {any} without Standard Schemas; undefined for an output that JSON Schema cannot say
 */
function plain(schema, side, tool) {
  if (isStandardSchema(schema)) return jsonSchemaOf(schema, side, `the ${side} schema of the tool ${tool}`);
  if (side === 'output' || !isSchema(schema) || !Object.values(schema).some(isOfLibrary)) return schema;
  const properties = Object.entries(schema).map(([name, input]) => [
    name,
    isStandardSchema(input) ? jsonSchemaOf(input, side, `the input ${name} of the tool ${tool}`) : input,
  ]);
  const required = Object.keys(schema).filter((name) => !isOptional(schema[name]));
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

/** @param {any} input */
function isOptional(input) {
  if (isStandardSchema(input)) return 'value' in input['~standard'].validate(undefined);
  return input?.default !== undefined || input?.nullable === true;
}

/**
 * @param {import('./schema-types').Schema} inputs inputs by name, or JSON Schema of an object that has them
 * @param {string} tool
 * @param {boolean} isDocument whether they are known to be JSON Schema
 * @returns {Pick<Definition, 'parameters' | 'context' | 'isWhole'>}
 */
function parametersOf(inputs, tool, isDocument) {
  const document = resolve(inputs, inputs);
  const isJsonSchema = isDocument || (isSchema(document) && (document !== inputs || hasKeywords(inputs)));
  const context = typeContext(inputs, isJsonSchema);
  const isWhole = isJsonSchema && !isObjectOfProperties(document, inputs);
  const holder = isJsonSchema ? Object(document) : { properties: inputs };
  const properties = isWhole ? allProperties(document, inputs) : (holder.properties ?? {});
  const parameters = Object.keys(properties).map((name) => {
    const schema = properties[name];
    if (!isSchema(schema) && typeof schema !== 'boolean') {
      throw new TypeError(
        `the input ${name} of the tool ${tool} must be an object with a type, got ${describe(schema)}`,
      );
    }
    const facts = { ...Object(resolve(schema, inputs)), ...Object(schema) };
    return { name, schema, facts, isOptional: !isRequired({ ...holder, properties }, name, context) };
  });
  return { parameters, context, isWhole };
}

/**
 * Whether something is JSON Schema and no inputs by name: an input called `type` is an object, and the keyword is none.
 *
 * @param {import('./schema-types').Schema} inputs
 */
function hasKeywords(inputs) {
  return typeof inputs.type === 'string' || LISTS.some((keyword) => Array.isArray(inputs[keyword]));
}

/**
 * Whether a schema is that of an object of which its properties say all.
 *
 * @param {unknown} schema
 * @param {unknown} root
 */
function isObjectOfProperties(schema, root) {
  if (!isSchema(schema)) return false;
  const { properties } = schema;
  const left = typeText({ ...schema, ...(isSchema(properties) && { properties: {} }) }, typeContext(root, true));
  return left === ANY_OBJECT || (left === OPEN_OBJECT && Object.keys(Object(properties)).length > 0);
}

/** @param {unknown} value */
function text(value) {
  return typeof value === 'string' ? value.trim() : '';
}

module.exports = { INPUT_KEYS, OUTPUT_KEYS, inputSchemaOf, outputSchemaOf, readDefinition };
