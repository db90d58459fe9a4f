// @ts-check
'use strict';

const { readDefinition } = require('./definition');
const { isPythonName } = require('./python-names');
const { annotation, pythonLiteral } = require('./python-types');
const { typeText } = require('./schema-types');

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
  const returns = output === false ? 'NoReturn' : annotation(output, output);
  const root = context.root;
  // Keywords are the object that the tool takes; names that are none are left to a dictionary.
  const isNamed = !isWhole && parameters.every((parameter) => isPythonName(parameter.name));
  const type = isWhole ? annotation(root, root) : 'dict';
  const args = type === 'Any' ? 'args: Any = None' : `args: ${type}`;
  const head = isNamed ? parameterHeads(definition, root).join(', ') : args;
  return [`def ${name}(${head}) -> ${returns}:`, docstring(definition, isNamed)].join('\n');
}

/**
 * Parameters that need a value and come after some that do not have to be named, as those of one object.
 *
 * @param {import('./definition').Definition} definition
 * @param {unknown} root
 */
function parameterHeads({ parameters, takesObject }, root) {
  const heads = parameters.map((parameter) => headOf(parameter, root));
  const firstOptional = parameters.findIndex(({ isOptional }) => isOptional);
  const isMixed = firstOptional !== -1 && parameters.slice(firstOptional).some(({ isOptional }) => !isOptional);
  if (heads.length > 0 && (takesObject || isMixed)) heads.splice(takesObject ? 0 : firstOptional, 0, '*');
  return heads;
}

/**
 * @param {import('./definition').Parameter} parameter
 * @param {unknown} root
 */
function headOf({ name, schema, isOptional, facts }, root) {
  const type = annotation(schema, root);
  if (!isOptional) return `${name}: ${type}`;
  const value = facts.default === undefined ? undefined : pythonLiteral(facts.default);
  if (value !== undefined) return `${name}: ${type} = ${value}`;
  return `${name}: ${type === 'Any' || type.split(' | ').includes('None') ? type : `${type} | None`} = None`;
}

/**
 * @param {import('./definition').Definition} definition
 * @param {boolean} isNamed
 */
function docstring(definition, isNamed) {
  const { description, outputDescription, outputExample } = definition;
  const sections = [
    description.split(/\r\n|[\n\r]/),
    ...argumentSections(definition, isNamed),
    outputDescription === '' ? [] : ['Returns:', `    ${oneLine(outputDescription)}`],
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
  const about = parameters.map(({ name, facts }) => `    ${name}: ${oneLine(facts.description)}`.trimEnd());
  const members = about.length === 0 ? [] : [isNamed ? 'Args:' : 'Args, keys of `args`:', ...about];
  if (!isWhole) return [members];
  // Annotations have no keys.
  return [['Args:', `    args: ${typeText(context.root, context)} (as TypeScript writes it)`], members];
}

/** @param {unknown} text */
function oneLine(text) {
  return typeof text === 'string' ? text.trim().replace(/\s+/g, ' ') : '';
}

module.exports = { toPythonSignature };
