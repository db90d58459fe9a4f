// @ts-check
'use strict';

const { readDefinition } = require('./definition');
const { membersOf, oneLine } = require('./members');
const { typeContext, typeText } = require('./schema-types');
const { isBindable, isIdentifier } = require('../../contract/identifiers');

/** Names and items of such, to which TypeScript knows the way, too. */
const JSDOC_PATH = /^(\[\])?(\.[^.[\]]+(\[\])?)*$/;

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
  const { root, listed } = context;
  const members = typeContext(root, listed);
  const lines = (/** @type {string} */ path, /** @type {import('./definition').Parameter} */ parameter) => {
    const { notes, others } = memberTexts(path, parameter.schema, members);
    return [parameterLine(path, parameter, notes, context), ...others];
  };
  if (!takesObject) return parameters.flatMap((parameter) => lines(parameter.name, parameter));
  if (isWhole) return objectLines(context, members, false);
  if (parameters.length === 0) return [];
  const isOptional = parameters.every((parameter) => parameter.isOptional);
  if (!parameters.every(({ name }) => isIdentifier(name))) return objectLines(context, members, isOptional);
  const all = parameters.flatMap((parameter) => lines(`args.${parameter.name}`, parameter));
  return [`@param {object} ${isOptional ? '[args]' : 'args'}`, ...all];
}

/**
 * Lines for the object that a tool takes, whose type says what its members are.
 *
 * @param {import('./schema-types').TypeContext} context
 * @param {import('./schema-types').TypeContext} members
 * @param {boolean} isOptional
 */
function objectLines(context, members, isOptional) {
  const type = typeText(context.root, context);
  const { notes, others } = memberTexts('args', context.root, members);
  const args = isOptional || type === 'any' ? '[args]' : 'args';
  return [[`@param {${type}} ${args}`, ...notes].join(' '), ...others];
}

/**
 * @param {string} path
 * @param {import('./definition').Parameter} parameter
 * @param {string[]} notes
 * @param {import('./schema-types').TypeContext} context
 */
function parameterLine(path, { schema, facts, isOptional }, notes, context) {
  const { description, type } = facts;
  const value = json(facts.default);
  const optional = value === undefined ? `[${path}]` : `[${path}=${value}]`;
  const about = [type === 'integer' ? '(integer)' : '', oneLine(description), ...notes];
  return [`@param {${typeText(schema, context)}} ${isOptional ? optional : path}`, ...about.filter(Boolean)].join(' ');
}

/**
 * What is said of the members of a parameter, in lines of their own; of those whose names JSDoc has no path for in notes on
 * what they are members of.
 *
 * @param {string} path of the parameter
 * @param {unknown} schema
 * @param {import('./schema-types').TypeContext} context
 * @returns {{ notes: string[], others: string[] }} notes on the parameter itself
 */
function memberTexts(path, schema, context) {
  /** @type {Map<string, string[]>} */
  const texts = new Map([['', []]]);
  const add = (/** @type {string} */ at, /** @type {string} */ text) => texts.set(at, [...(texts.get(at) ?? []), text]);
  for (const member of describedMembers(schema, context)) {
    if (JSDOC_PATH.test(member.path)) add(member.path, member.description);
    else if (member.name !== undefined && JSDOC_PATH.test(member.parent)) {
      add(member.parent, `${JSON.stringify(member.name)}: ${member.description}`);
    }
  }
  const [[, notes], ...others] = texts;
  return { notes, others: others.map(([at, all]) => `@param ${path}${at} ${all.join(' ')}`) };
}

/**
 * @param {unknown} schema
 * @param {import('./schema-types').TypeContext} context
 */
function describedMembers(schema, context) {
  const access = (/** @type {string} */ name) => (isIdentifier(name) ? `.${name}` : `[${JSON.stringify(name)}]`);
  return membersOf(schema, context, access).filter(({ description }) => description !== '');
}

/** @param {import('./definition').Definition} definition */
function outputLines({ output, outputDescription, outputExample, isAsync }) {
  const type = typeText(output, typeContext(output, true));
  const members = describedMembers(output, typeContext(output, true));
  const example = outputExample === undefined ? undefined : JSON.stringify(outputExample, null, 2);
  return [
    `@returns {${isAsync ? `Promise<${type}>` : type}} ${oneLine(outputDescription)}`.trimEnd(),
    ...(members.length === 0 ? [] : ['Members of the result:']),
    ...members.map(({ path, description }) => `${path}: ${description}`),
    ...(example === undefined ? [] : ['Example of the result:', ...example.split('\n')]),
  ];
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
