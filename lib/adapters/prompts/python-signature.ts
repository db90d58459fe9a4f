import { readDefinition } from './definition';
import { isPythonName } from '../../contract/python-names';
import { membersOf, oneLine } from './members';
import { alternatives, annotation, pythonLiteral } from './python-types';
import { typeContext, typeText } from '../../catalog/schema-types';
import type { TypeContext } from '../../catalog/schema-types';
import type { FunctionDefinition, ToolDefinition } from './tool-definition';
import type { Definition, Parameter } from './definition';

/**
 * Declares a tool as a Python function with annotations and a docstring, in the form that models read.
 *
 * A tool that takes one object is called with keywords. It is called with `args` if its properties do not describe the
 * object completely, or if they are not valid Python names. Annotations cannot express the keys of objects. The
 * docstring therefore adds the TypeScript type of objects in parameters and results, and the descriptions of their
 * members.
 *
 * @throws `TypeError` as {@link toJavaScriptSignature}
 *
 * @example
 * ```js
 * toPythonSignature({
 *   name: 'search',
 *   description: 'Searches the web.',
 *   inputs: { query: { type: 'string', description: 'What to look for.' } },
 *   output_type: 'string',
 * });
 * // def search(query: str) -> str:
 * //     """Searches the web.
 * //
 * //     Args:
 * //         query: What to look for.
 * //     """
 * ```
 */
export function toPythonSignature(tool: ToolDefinition | FunctionDefinition): string {
  const definition = readDefinition(tool);
  return [headOf(definition), docstring(definition, isNamed(definition))].join('\n');
}

/** The first line of a declaration. */
export function headOf(definition: Definition): string {
  const { name, isWhole, output, context } = definition;
  for (const part of name.split('.')) {
    if (!isPythonName(part))
      throw new TypeError(
        `the tool ${JSON.stringify(name)} cannot be called from Python: its name must be an identifier`,
      );
  }
  const returns = output === false ? 'NoReturn' : annotation(output, typeContext(output, true));
  const types = typeContext(context.root, context.listed);
  const type = isWhole ? annotation(context.root, types) : 'dict';
  const args = type === 'Any' ? 'args: Any = None' : `args: ${type}`;
  const head = isNamed(definition) ? parameterHeads(definition, types).join(', ') : args;
  return `def ${name}(${head}) -> ${returns}:`;
}

/** Keywords form the object that the tool takes. If a name is not a valid Python name, a dictionary is used instead. */
function isNamed({ isWhole, parameters }: Definition) {
  return !isWhole && parameters.every((parameter) => isPythonName(parameter.name));
}

/** Required parameters after optional ones must be passed by keyword, as must the parameters of a single object. */
function parameterHeads({ parameters, takesObject }: Definition, types: TypeContext) {
  const heads = parameters.map((parameter) => parameterHead(parameter, types));
  const firstOptional = parameters.findIndex(({ isOptional }) => isOptional);
  const isMixed = firstOptional !== -1 && parameters.slice(firstOptional).some(({ isOptional }) => !isOptional);
  if (heads.length > 0 && (takesObject || isMixed)) heads.splice(takesObject ? 0 : firstOptional, 0, '*');
  return heads;
}

function parameterHead({ name, schema, isOptional, facts }: Parameter, types: TypeContext) {
  const possible = alternatives(schema, types);
  const type = possible.join(' | ');
  if (!isOptional) return `${name}: ${type}`;
  const value = facts.default === undefined ? undefined : pythonLiteral(facts.default);
  if (value !== undefined) return `${name}: ${type} = ${value}`;
  return `${name}: ${possible.some((each) => each === 'Any' || each === 'None') ? type : `${type} | None`} = None`;
}

function docstring(definition: Definition, hasNames: boolean) {
  const { description, outputExample } = definition;
  const sections = [
    description.split(/\r\n|[\n\r]/),
    ...argumentSections(definition, hasNames),
    outputSection(definition),
    outputExample === undefined ? [] : ['Example of the result:', `    ${pythonLiteral(outputExample)}`],
  ].filter((lines) => lines.join('') !== '');
  if (sections.length === 0) return '    ...';
  return docstringOf(sections.flatMap((section, index) => (index === 0 ? section : ['', ...section])));
}

/** A docstring that its content cannot end. */
export function docstringOf(lines: readonly string[]): string {
  const text = lines.map((line) => line.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"'));
  return [`    """${text[0]}`, ...text.slice(1).map((line) => `    ${line}`.trimEnd()), '    """'].join('\n');
}

function argumentSections({ parameters, isWhole, context }: Definition, hasNames: boolean) {
  // Annotations cannot express keys, neither of an object nor of a dictionary that replaces keywords.
  const isDict = isWhole || !hasNames;
  const root = context.listed ? context.root : { type: 'object', properties: context.root };
  const whole = isDict ? ['Args:', `    args: ${typeScript(root, context)}`] : [];
  const members = typeContext(context.root, context.listed);
  const about = parameters.flatMap(({ name, schema, facts }) => {
    const { shape, described } = memberTexts(name, schema, context, members);
    const more = isDict ? described : [...shape, ...described];
    return [`    ${name}: ${oneLine(facts.description)}`.trimEnd(), ...more.map((line) => `        ${line}`)];
  });
  return [whole, about.length === 0 ? [] : [hasNames ? 'Args:' : 'Args, keys of `args`:', ...about]];
}

function outputSection({ output, outputDescription }: Definition) {
  const { shape, described } = memberTexts('', output, typeContext(output, true), typeContext(output, true));
  const lines = [oneLine(outputDescription), ...shape, ...described].filter((line) => line !== '');
  return lines.length === 0 ? [] : ['Returns:', ...lines.map((line) => `    ${line}`)];
}

/**
 * Describes the details that annotations cannot express: the type, if objects in the value have keys, and the
 * descriptions of members.
 *
 * @param path of the value
 * @param context for the members
 */
function memberTexts(path: string, schema: unknown, types: TypeContext, context: TypeContext) {
  const members = membersOf(schema, context, (name) => `[${JSON.stringify(name)}]`);
  const described = members.filter(({ description }) => description !== '');
  return {
    shape: members.some(({ name }) => name !== undefined) ? [typeScript(schema, types)] : [],
    described: described.map((member) => `${path}${member.path}: ${member.description}`),
  };
}

function typeScript(schema: unknown, types: TypeContext) {
  return `${typeText(schema, types)} (in TypeScript notation)`;
}
