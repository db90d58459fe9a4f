import { readDefinition } from './definition';
import { membersOf, oneLine } from './members';
import { typeContext, typeText } from '../../catalog/schema-types';
import { isBindable, isIdentifier } from '../../contract/identifiers';
import type { FunctionDefinition, ToolDefinition } from './tool-definition';
import type { Definition, Parameter } from './definition';
import type { TypeContext } from '../../catalog/schema-types';

/** Paths of names and items that TypeScript also understands. */
const JSDOC_PATH = /^(\[\])?(\.[^.[\]]+(\[\])?)*$/;

/**
 * //  * Searches the web.
 * //  *
 * //  * @param {string} query What to look for.
 * //  * @param {number} [limit=10] (integer) How many results.
 * //  * @returns {Promise<string>}
 * //  *\/
 * // async function search(query, limit = 10) {}
 * ```
 */
export function toJavaScriptSignature(tool: ToolDefinition | FunctionDefinition): string {
  const definition = readDefinition(tool);
  refuseOtherNames(definition);
  const lines = [...descriptionLines(definition), ...parameterLines(definition), ...outputLines(definition)];
  return `${comment(lines)}\n${declaration(definition)}`;
}

/** Rejects names that the declaration cannot contain. */
function refuseOtherNames({ name, parameters, takesObject }: Definition) {
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

function suggestion(name: string) {
  const parts = name
    .split('.')
    .map((part) => part.replace(/[^\p{ID_Continue}$]/gu, '_').replace(/^(?![\p{ID_Start}$_]|$)/u, '_'));
  const [first = 'tool', ...rest] = parts.filter((part) => part !== '');
  return [isBindable(first) ? first : `${first}_`, ...rest].join('.');
}

function descriptionLines({ description }: Definition) {
  return description === '' ? [] : [...description.split(/\r\n|[\n\r\u2028\u2029]/), ''];
}

function parameterLines({ parameters, takesObject, isWhole, context }: Definition) {
  const { root, listed } = context;
  const members = typeContext(root, listed);
  const lines = (path: string, parameter: Parameter) => {
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

/** Lines for the object that a tool takes. The type of the object describes its members. */
function objectLines(context: TypeContext, members: TypeContext, isOptional: boolean) {
  const type = typeText(context.root, context);
  const { notes, others } = memberTexts('args', context.root, members);
  const args = isOptional || type === 'any' ? '[args]' : 'args';
  return [[`@param {${type}} ${args}`, ...notes].join(' '), ...others];
}

function parameterLine(path: string, { schema, facts, isOptional }: Parameter, notes: string[], context: TypeContext) {
  const { description, type } = facts;
  const value = json(facts.default);
  const optional = value === undefined ? `[${path}]` : `[${path}=${value}]`;
  const about = [type === 'integer' ? '(integer)' : '', oneLine(description), ...notes];
  return [`@param {${typeText(schema, context)}} ${isOptional ? optional : path}`, ...about.filter(Boolean)].join(' ');
}

/**
 * Describes the members of a parameter. Each member has its own line if JSDoc can express its path. Otherwise a note on
 * the containing value describes it.
 *
 * @param path of the parameter
 * @returns notes on the parameter itself
 */
function memberTexts(path: string, schema: unknown, context: TypeContext): { notes: string[]; others: string[] } {
  const texts: Map<string, string[]> = new Map([['', []]]);
  const add = (at: string, text: string) => texts.set(at, [...(texts.get(at) ?? []), text]);
  for (const member of describedMembers(schema, context)) {
    if (JSDOC_PATH.test(member.path)) add(member.path, member.description);
    else if (member.name !== undefined && JSDOC_PATH.test(member.parent)) {
      add(member.parent, `${JSON.stringify(member.name)}: ${member.description}`);
    }
  }
  const [[, notes], ...others] = texts;
  return { notes, others: others.map(([at, all]) => `@param ${path}${at} ${all.join(' ')}`) };
}

function describedMembers(schema: unknown, context: TypeContext) {
  const access = (name: string) => (isIdentifier(name) ? `.${name}` : `[${JSON.stringify(name)}]`);
  return membersOf(schema, context, access).filter(({ description }) => description !== '');
}

function outputLines({ output, outputDescription, outputExample, isAsync }: Definition) {
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

function declaration({ name, parameters, takesObject, isWhole, isAsync }: Definition) {
  const hasObject = parameters.length > 0 || isWhole;
  const head = takesObject ? (hasObject ? 'args' : '') : parameters.map(headOf).join(', ');
  const keyword = isAsync ? 'async function' : 'function';
  return name.includes('.') ? `${name} = ${keyword} (${head}) {};` : `${keyword} ${name}(${head}) {}`;
}

function headOf({ name, facts, isOptional }: Parameter) {
  if (!isOptional) return name;
  return `${name} = ${json(facts.default) ?? (facts.nullable === true ? 'null' : 'undefined')}`;
}

/** A default value as code. Undefined if there is none, or if it cannot be written as code. */
function json(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** A block comment that its content cannot end. `*\/` has the same meaning in a string of a type. */
function comment(lines: string[]) {
  const body = lines.map((line) => ` * ${line}`.trimEnd().replaceAll('*/', '*\\/'));
  return ['/**', ...body, ' */'].join('\n');
}
