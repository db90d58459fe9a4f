// @ts-check
'use strict';

const { readDefinition } = require('./definition');
const { isPythonName } = require('../../contract/python-names');
const { membersOf, oneLine } = require('./members');
const { alternatives, annotation, pythonLiteral } = require('./python-types');
const { typeContext, typeText } = require('./schema-types');

/** @typedef {import('./schema-types').TypeContext} TypeContext */

/**
 * The declaration of a tool as a model that writes Python reads it. Documented in `index.d.ts`.
 *
 * @param {import('./index').ToolDefinition} tool
 * @returns {string}
 * @throws {TypeError}
 */
function toPythonSignature(tool) {
  const definition = readDefinition(tool);
  const { name, parameters, isWhole, output, context } = definition;
  for (const part of name.split('.')) {
    if (!isPythonName(part))
      throw new TypeError(
        `the tool ${JSON.stringify(name)} cannot be called from Python: its name must be an identifier`,
      );
  }
  const returns = output === false ? 'NoReturn' : annotation(output, typeContext(output, true));
  const types = typeContext(context.root, context.listed);
  // Keywords are the object that the tool takes; names that are none are left to a dictionary.
  const isNamed = !isWhole && parameters.every((parameter) => isPythonName(parameter.name));
  const type = isWhole ? annotation(context.root, types) : 'dict';
  const args = type === 'Any' ? 'args: Any = None' : `args: ${type}`;
  const head = isNamed ? parameterHeads(definition, types).join(', ') : args;
  return [`def ${name}(${head}) -> ${returns}:`, docstring(definition, isNamed)].join('\n');
}

/**
 * Parameters that need a value and come after some that do not have to be named, as those of one object.
 *
 * @param {import('./definition').Definition} definition
 * @param {TypeContext} types
 */
function parameterHeads({ parameters, takesObject }, types) {
  const heads = parameters.map((parameter) => headOf(parameter, types));
  const firstOptional = parameters.findIndex(({ isOptional }) => isOptional);
  const isMixed = firstOptional !== -1 && parameters.slice(firstOptional).some(({ isOptional }) => !isOptional);
  if (heads.length > 0 && (takesObject || isMixed)) heads.splice(takesObject ? 0 : firstOptional, 0, '*');
  return heads;
}

/**
 * @param {import('./definition').Parameter} parameter
 * @param {TypeContext} types
 */
function headOf({ name, schema, isOptional, facts }, types) {
  const possible = alternatives(schema, types);
  const type = possible.join(' | ');
  if (!isOptional) return `${name}: ${type}`;
  const value = facts.default === undefined ? undefined : pythonLiteral(facts.default);
  if (value !== undefined) return `${name}: ${type} = ${value}`;
  return `${name}: ${possible.some((each) => each === 'Any' || each === 'None') ? type : `${type} | None`} = None`;
}

/**
 * @param {import('./definition').Definition} definition
 * @param {boolean} isNamed
 */
function docstring(definition, isNamed) {
  const { description, outputExample } = definition;
  const sections = [
    description.split(/\r\n|[\n\r]/),
    ...argumentSections(definition, isNamed),
    outputSection(definition),
    outputExample === undefined ? [] : ['Example of the result:', `    ${pythonLiteral(outputExample)}`],
  ].filter((lines) => lines.join('') !== '');
  if (sections.length === 0) return '    ...';
  const lines = sections.flatMap((section, index) => (index === 0 ? section : ['', ...section]));
  const text = lines.map((line) => line.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"'));
  return [`    """${text[0]}`, ...text.slice(1).map((line) => `    ${line}`.trimEnd()), '    """'].join('\n');
}

/**
 * @param {import('./definition').Definition} definition
 * @param {boolean} isNamed
 */
function argumentSections({ parameters, isWhole, context }, isNamed) {
  // Annotations have no keys: neither of an object, nor of a dictionary that keywords cannot be.
  const isDict = isWhole || !isNamed;
  const root = context.listed ? context.root : { type: 'object', properties: context.root };
  const whole = isDict ? ['Args:', `    args: ${typeScript(root, context)}`] : [];
  const members = typeContext(context.root, context.listed);
  const about = parameters.flatMap(({ name, schema, facts }) => {
    const { shape, described } = memberTexts(name, schema, context, members);
    const more = isDict ? described : [...shape, ...described];
    return [`    ${name}: ${oneLine(facts.description)}`.trimEnd(), ...more.map((line) => `        ${line}`)];
  });
  return [whole, about.length === 0 ? [] : [isNamed ? 'Args:' : 'Args, keys of `args`:', ...about]];
}

/** @param {import('./definition').Definition} definition */
function outputSection({ output, outputDescription }) {
  const { shape, described } = memberTexts('', output, typeContext(output, true), typeContext(output, true));
  const lines = [oneLine(outputDescription), ...shape, ...described].filter((line) => line !== '');
  return lines.length === 0 ? [] : ['Returns:', ...lines.map((line) => `    ${line}`)];
}

/**
 * What annotations do not say of a value: the type, if objects in it have keys, and what is said of members.
 *
 * @param {string} path of the value
 * @param {unknown} schema
 * @param {TypeContext} types
 * @param {TypeContext} context for the members
 */
function memberTexts(path, schema, types, context) {
  const members = membersOf(schema, context, (name) => `[${JSON.stringify(name)}]`);
  const described = members.filter(({ description }) => description !== '');
  return {
    shape: members.some(({ name }) => name !== undefined) ? [typeScript(schema, types)] : [],
    described: described.map((member) => `${path}${member.path}: ${member.description}`),
  };
}

/**
 * @param {unknown} schema
 * @param {TypeContext} types
 */
function typeScript(schema, types) {
  return `${typeText(schema, types)} (as TypeScript writes it)`;
}

module.exports = { toPythonSignature };
