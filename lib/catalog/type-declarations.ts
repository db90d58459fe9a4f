import { docComment, docLines } from './type-docs';
import { isSchema, literal, resolve, typeContext, typeText } from './schema-types';
import { TypeNames } from './type-names';
import type { ObjectMember, Schema, TypeContext, TypeStyle } from './schema-types';

/** A function as TypeScript declares it. */
export interface DeclaredFunction {
  /** The name by which code calls it, with its namespaces: `files.read`. */
  name: string;
  description: string;
  /** JSON Schema of the object that the function takes. Undefined: any arguments. */
  input: unknown;
  /** JSON Schema of the result. */
  output: unknown;
  /** JSON values that show how the function is called. */
  examples?: readonly unknown[] | undefined;
  isAsync: boolean;
}

export interface Declarations {
  text: string;
  /** Whether something had to be left out. */
  isCut: boolean;
}

/** Numbers of schemas of a function that are converted. If the text gets too long, the next number is tried. */
const MAX_SCHEMAS = [500, 150, 50, 15, 4, 0];
const MAX_DESCRIPTION = 2_000;
const MAX_LINE = 100;
const MAX_MEMBERS = 200;
const MAX_NAME = 200;
const MAX_VALUES = 60;
const MAX_LITERAL = 200;
/** A note for texts that are cut. */
export const CUT = 'Types that are too long are `any` here.';

/**
 * Declares functions in TypeScript. Types that `$ref` point to have names, and are declared once. Types that are too
 * long become `any`, and a comment says so.
 */
export function typeDeclarations(functions: readonly DeclaredFunction[], maxChars: number): Declarations {
  return declarationsWithin(maxChars, functions.length, (writer) => {
    const declared = [...byNamespace(functions)].map(([name, member]) => {
      if (member instanceof Map) return `declare const ${name}: ${writer.namespace(member)};`;
      return [...commentOf(member), `declare function ${name}${writer.signature(member)};`].join('\n');
    });
    return [...declared, ...writer.types(), ...(writer.isCut ? [`// ${CUT}`] : [])].join('\n\n');
  });
}

/**
 * Writes declarations whose length is limited.
 *
 * @param count number of functions
 */
export function declarationsWithin(
  maxChars: number,
  count: number,
  write: (writer: TypeWriter) => string,
): Declarations {
  let text = '';
  for (const most of MAX_SCHEMAS) {
    const writer = new TypeWriter(most * Math.max(1, count));
    text = write(writer);
    if (text.length <= maxChars) return { text, isCut: writer.isCut };
  }
  return { text: `${text.slice(0, maxChars)}\n[… ${text.length - maxChars} more characters]`, isCut: true };
}

/** Writes types. All types of a writer share its names and its budget. */
export class TypeWriter implements TypeStyle {
  #names = new TypeNames([]);
  #left;
  /** Whether the budget was not enough for everything. */
  isCut = false;

  /** @param left number of schemas that may be converted */
  constructor(left: number) {
    this.#left = left;
  }

  /** Parameters and result: `(args: { id: string }): Promise<number>`. */
  signature({ input, output, isAsync }: DeclaredFunction): string {
    const parameters = this.parameters(input);
    const result = this.type(output);
    return `(${parameters}): ${isAsync ? `Promise<${result}>` : result}`;
  }

  parameters(input: unknown): string {
    if (input === undefined) return '...args: any[]';
    const type = this.type(input);
    if (type === 'object') return '';
    return `args${isOptional(input) ? '?' : ''}: ${type}`;
  }

  /** @param schema a document, which `$ref` in it point into */
  type(schema: unknown): string {
    return this.#typeIn(schema, schema);
  }

  /** An object type with functions and namespaces. */
  namespace(members: Namespace): string {
    const lines = [...members].flatMap(([name, member]) => {
      if (member instanceof Map) return [`${name}: ${this.namespace(member)};`];
      return [...commentOf(member), `${name}${this.signature(member)};`];
    });
    return block(lines);
  }

  /** Declarations of the types that have names. */
  types(): string[] {
    const declared = [];
    // Types that are only reached from here are added to the end of the list.
    for (const { name, schema, root } of this.#names.types) {
      const lines = [...docComment(docLines(schema)), `type ${name} = ${this.#typeIn(schema, root)};`];
      declared.push(lines.join('\n'));
    }
    return declared;
  }

  nameOf(reference: string, root: unknown) {
    return this.#names.nameOf(reference, root);
  }

  object(all: ObjectMember[], more: string | undefined) {
    const members = all.filter(({ name }) => name.length <= MAX_NAME).slice(0, MAX_MEMBERS);
    const hasOthers = members.length < all.length;
    if (hasOthers) this.isCut = true;
    const docs = members.map(({ schema }) => docComment(docLines(schema)));
    const texts = members.map(({ name, isOptional, type }) => `${name}${isOptional ? '?' : ''}: ${type}`);
    if (hasOthers) texts.push('[other: string]: any');
    else if (more !== undefined) texts.push(`[other: string]: ${more}`);
    const line = `{ ${texts.join('; ')} }`;
    const isShort = line.length <= MAX_LINE && !line.includes('\n') && docs.every(({ length }) => length === 0);
    return isShort ? line : block(texts.flatMap((text, at) => [...(docs[at] ?? []), `${text};`]));
  }

  literals(values: unknown[]) {
    const shown = values.slice(0, MAX_VALUES).map(literal);
    const others = new Set([
      ...values.slice(MAX_VALUES).map((value) => (value === null ? 'null' : typeof value)),
      ...(shown.some((text) => text.length > MAX_LITERAL) ? ['string'] : []),
    ]);
    if (others.size > 0) this.isCut = true;
    return [...shown.filter((text) => text.length <= MAX_LITERAL), ...others];
  }

  #typeIn(schema: unknown, root: unknown) {
    const context: TypeContext = { ...typeContext(root, true), left: this.#left, style: this };
    const text = typeText(schema, context);
    this.#left = context.left;
    if (this.#left === 0) this.isCut = true;
    return text;
  }
}

type Namespace = Map<string, DeclaredFunction | Namespace>;

/** Functions by the parts of their names. */
function byNamespace(functions: readonly DeclaredFunction[]): Namespace {
  const all: Namespace = new Map();
  for (const each of functions) {
    const path = each.name.split('.');
    const last = path.pop() as string;
    let holder = all;
    for (const name of path) {
      const inner = holder.get(name);
      const next: Namespace = inner instanceof Map ? inner : new Map();
      holder.set(name, next);
      holder = next;
    }
    holder.set(last, each);
  }
  return all;
}

function commentOf(declared: DeclaredFunction) {
  return docComment(functionLines(declared));
}

/** Description and examples of a function, in lines. */
export function functionLines({ description, examples = [] }: DeclaredFunction): string[] {
  const left = description.length - MAX_DESCRIPTION;
  const shown = description.slice(0, MAX_DESCRIPTION).trim();
  const lines = shown === '' ? [] : shown.split(/\r\n|[\n\r\u2028\u2029]/);
  return [...lines, ...(left > 0 ? [`[… ${left} more characters]`] : []), ...docLines({ examples })];
}

/** Whether a function can be called without its object. */
function isOptional(input: unknown) {
  const schema: Schema = Object(resolve(input, input));
  if (!isSchema(schema) || (Array.isArray(schema.required) && schema.required.length > 0)) return false;
  return ['anyOf', 'oneOf', 'allOf', 'enum', 'const'].every((keyword) => schema[keyword] === undefined);
}

function block(lines: readonly string[]) {
  return ['{', ...lines.flatMap((line) => line.split('\n')).map((line) => `  ${line}`), '}'].join('\n');
}
