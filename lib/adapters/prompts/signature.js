// @ts-check
'use strict';

const { readDefinition } = require('./definition');
const { isSchema, typeContext, typeText } = require('./schema-types');
const { isBindable, isIdentifier } = require('../../contract/identifiers');

/**
 * The declaration of a tool as a model reads it. Documented in `index.d.ts`.
 *
 * @param {import('./index').ToolDefinition} tool
 * @returns {string}
 * @throws {TypeError}
 */
function toJavaScriptSignature(tool) {
  const definition = readDefinition(tool);
  refuseOtherNames(definition);
  const lines = [...descriptionLines(definition), ...parameterLines(definition), ...outputLines(definition)];
  return `${comment(lines)}\n${declaration(definition)}`;
}

/**
 * Names that the declaration could not be written with.
 *
 * @param {import('./definition').Definition} definition
 */
function refuseOtherNames({ name, parameters, takesObject }) {
  const [first, ...rest] = name.split('.');
  if (!isBindable(first) || !rest.every(isIdentifier)) {
    throw new TypeError(
      `the tool ${JSON.stringify(name)} cannot be called from JavaScript: its name must be an identifier, or identifiers ` +
        `joined by dots; for example ${JSON.stringify(suggestion(name))}`,
    );
  }
  if (takesObject) return;
  for (const { name: input } of parameters) {
    if (isBindable(input)) continue;
    throw new TypeError(
      `the input ${JSON.stringify(input)} of the tool ${name} cannot be a parameter: its name must be a JavaScript ` +
        `identifier; for example ${JSON.stringify(suggestion(input))}`,
    );
  }
}

/** @param {string} name */
function suggestion(name) {
  const parts = name
    .split('.')
    .map((part) => part.replace(/[^\p{ID_Continue}$]/gu, '_').replace(/^(?![\p{ID_Start}$_]|$)/u, '_'));
  const [first = 'tool', ...rest] = parts.filter((part) => part !== '');
  return [isBindable(first) ? first : `${first}_`, ...rest].join('.');
}

/** @param {import('./definition').Definition} definition */
function descriptionLines({ description }) {
  return description === '' ? [] : [...description.split(/\r\n|[\n\r\u2028\u2029]/), ''];
}

/** @param {import('./definition').Definition} definition */
function parameterLines({ parameters, takesObject, isWhole, context }) {
  if (!takesObject) {
    return parameters.flatMap((parameter) => {
      const { name, facts } = parameter;
      return [parameterLine(name, parameter, context), ...memberLines(name, facts.properties)];
    });
  }
  if (isWhole) return objectLines(parameters, context, false);
  if (parameters.length === 0) return [];
  const isOptional = parameters.every((parameter) => parameter.isOptional);
  if (!parameters.every(({ name }) => isIdentifier(name))) return objectLines(parameters, context, isOptional);
  const lines = parameters.map((parameter) => parameterLine(`args.${parameter.name}`, parameter, context));
  return [`@param {object} ${isOptional ? '[args]' : 'args'}`, ...lines];
}

/**
 * Lines for the object that a tool takes, whose type says what its members are.
 *
 * @param {import('./definition').Parameter[]} parameters
 * @param {import('./schema-types').TypeContext} context
 * @param {boolean} isOptional
 */
function objectLines(parameters, context, isOptional) {
  const properties = Object.fromEntries(parameters.map(({ name, facts }) => [name, facts]));
  const type = typeText(context.root, context);
  const args = isOptional || type === 'any' ? '[args]' : 'args';
  return [`@param {${type}} ${args} ${memberNotes(properties)}`.trimEnd(), ...memberLines('args', properties)];
}

/**
 * @param {string} path
 * @param {import('./definition').Parameter} parameter
 * @param {import('./schema-types').TypeContext} context
 */
function parameterLine(path, { schema, facts, isOptional }, context) {
  const { description, type, properties } = facts;
  const value = json(facts.default);
  const optional = value === undefined ? `[${path}]` : `[${path}=${value}]`;
  const about = [type === 'integer' ? '(integer)' : '', oneLine(description), memberNotes(properties)];
  return [`@param {${typeText(schema, context)}} ${isOptional ? optional : path}`, ...about.filter(Boolean)].join(' ');
}

/**
 * Lines for the properties of an object that is a parameter, as far as they are described.
 *
 * @param {string} path
 * @param {unknown} properties
 */
function memberLines(path, properties) {
  return descriptions(properties)
    .filter(([name]) => isIdentifier(name))
    .map(([name, description]) => `@param ${path}.${name} ${description}`);
}

/**
 * What is said of properties whose names JSDoc has no path for.
 *
 * @param {unknown} properties
 */
function memberNotes(properties) {
  const others = descriptions(properties).filter(([name]) => !isIdentifier(name));
  return others.map(([name, description]) => `${JSON.stringify(name)}: ${description}`).join(' ');
}

/**
 * @param {unknown} properties
 * @returns {[string, string][]} name and description of those that are described
 */
function descriptions(properties) {
  if (!isSchema(properties)) return [];
  /** @type {[string, string][]} */
  const all = Object.keys(properties).map((name) => [name, oneLine(properties[name]?.description)]);
  return all.filter(([, description]) => description !== '');
}

/** @param {import('./definition').Definition} definition */
function outputLines({ output, outputDescription, outputExample, isAsync }) {
  const type = typeText(output, typeContext(output, true));
  const lines = [`@returns {${isAsync ? `Promise<${type}>` : type}} ${oneLine(outputDescription)}`.trimEnd()];
  const example = outputExample === undefined ? undefined : JSON.stringify(outputExample, null, 2);
  return example === undefined ? lines : [...lines, 'Example of the result:', ...example.split('\n')];
}

/** @param {import('./definition').Definition} definition */
function declaration({ name, parameters, takesObject, isWhole, isAsync }) {
  const hasObject = parameters.length > 0 || isWhole;
  const head = takesObject ? (hasObject ? 'args' : '') : parameters.map(headOf).join(', ');
  const keyword = isAsync ? 'async function' : 'function';
  return name.includes('.') ? `${name} = ${keyword} (${head}) {};` : `${keyword} ${name}(${head}) {}`;
}

/** @param {import('./definition').Parameter} parameter */
function headOf({ name, facts, isOptional }) {
  if (!isOptional) return name;
  return `${name} = ${json(facts.default) ?? (facts.nullable === true ? 'null' : 'undefined')}`;
}

/**
 * A default as code; undefined if there is none, or none that can be written.
 *
 * @param {unknown} value
 * @returns {string | undefined}
 */
function json(value) {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** @param {unknown} description */
function oneLine(description) {
  return typeof description === 'string' ? description.trim().replace(/\s+/g, ' ') : '';
}

/**
 * A block comment that nothing inside ends. `*\/` in a string of a type means the same text.
 *
 * @param {string[]} lines
 */
function comment(lines) {
  const body = lines.map((line) => ` * ${line}`.trimEnd().replaceAll('*/', '*\\/'));
  return ['/**', ...body, ' */'].join('\n');
}

module.exports = { toJavaScriptSignature };
