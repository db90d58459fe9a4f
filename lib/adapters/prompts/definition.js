// @ts-check
'use strict';

const { describe } = require('../../contract/describe');
const { isStandardSchema, jsonSchemaOf } = require('../../contract/standard-schema');
const { isRequired, isSchema, resolve, typeContext } = require('./schema-types');

/**
 * A tool's definition, whichever of the accepted shapes it has.
 *
 * @typedef {object} Definition
 * @property {string} name with its namespaces: `Host.readDoc`
 * @property {string} description
 * @property {boolean} isAsync
 * @property {boolean} takesObject whether the tool takes one object of named arguments
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
  const asObject = given.inputSchema ?? given.input_schema ?? given.parameters;
  const inputs = plain(given.inputs ?? asObject ?? {}, 'input', name);
  if (!isSchema(inputs)) throw new TypeError(`inputs of the tool ${name} must be an object, got ${describe(inputs)}`);
  return {
    name,
    description: text(given.description),
    isAsync: given.async !== false,
    takesObject: isStandardSchema(given.inputs) || (given.inputs === undefined && asObject !== undefined),
    ...parametersOf(inputs, name),
    output:
      plain(given.output_schema ?? given.outputSchema ?? given.output_type ?? given.outputType, 'output', name) ??
      'any',
    outputDescription: text(given.output_description ?? given.outputDescription),
    outputExample: given.output_example ?? given.outputExample,
  };
}

/**
 * @param {any} schema JSON Schema, or a Standard Schema, or inputs by name that may be such
 * @param {'input' | 'output'} side
 * @param {string} tool
 * @returns {any} without Standard Schemas; undefined for an output that JSON Schema cannot say
 */
function plain(schema, side, tool) {
  if (isStandardSchema(schema)) return jsonSchemaOf(schema, side, `the ${side} schema of the tool ${tool}`);
  if (side === 'output' || !isSchema(schema) || !Object.values(schema).some(isStandardSchema)) return schema;
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
 * @returns {{ parameters: Parameter[], context: import('./schema-types').TypeContext }}
 */
function parametersOf(inputs, tool) {
  const document = resolve(inputs, inputs);
  // An input called `type` is an object; the keyword `type` is a string.
  const isJsonSchema = isSchema(document) && (document !== inputs || typeof document.type === 'string');
  const context = typeContext(inputs, isJsonSchema);
  const properties = isJsonSchema ? (document.properties ?? {}) : inputs;
  const holder = { properties, required: isJsonSchema ? document.required : undefined };
  const parameters = Object.keys(properties).map((name) => {
    const schema = properties[name];
    if (!isSchema(schema) && typeof schema !== 'boolean') {
      throw new TypeError(
        `the input ${name} of the tool ${tool} must be an object with a type, got ${describe(schema)}`,
      );
    }
    const facts = { ...Object(resolve(schema, inputs)), ...Object(schema) };
    return { name, schema, facts, isOptional: !isRequired(holder, name, context) };
  });
  return { parameters, context };
}

/** @param {unknown} value */
function text(value) {
  return typeof value === 'string' ? value.trim() : '';
}

module.exports = { readDefinition };
