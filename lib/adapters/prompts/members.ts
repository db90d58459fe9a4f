import { isSchema, list, resolve, within } from '../../catalog/schema-types';
import type { Foreign } from '../../contract/foreign';
import type { Schema, TypeContext } from '../../catalog/schema-types';

/** A member of a value, at any depth. */
export interface Member {
  /** The path from the value: names, `[]` for items, `[key]` for arbitrary keys, `[0]` in tuples. */
  path: string;
  /** The path of the containing value. */
  parent: string;
  /** Undefined for items. */
  name: string | undefined;
  /** The description in one line. */
  description: string;
}

/** Members beyond this number are left out. */
const MAX_MEMBERS = 500;

/**
 * The members that a schema names, including those of its items and of the schemas that it combines. The first member
 * at each path is used.
 *
 * @param access returns the notation of the language for access to a member by name
 */
export function membersOf(schema: unknown, context: TypeContext, access: (name: string) => string): Member[] {
  const members: Map<string, Member> = new Map();
  const collect = (part: unknown, parent: string) =>
    within(part, context, (found) => {
      for (const { step, name, member } of membersIn(found, access)) {
        const path = `${parent}${step}`;
        if (members.size < MAX_MEMBERS && !members.has(path)) {
          members.set(path, { path, parent, name, description: descriptionOf(member, context.root) });
        }
        collect(member, path);
      }
      for (const combined of [found.anyOf, found.oneOf, found.allOf].flatMap(list)) collect(combined, parent);
    });
  collect(schema, '');
  return [...members.values()];
}

function membersIn(
  { properties, patternProperties, additionalProperties, prefixItems, items }: Schema,
  access: (name: string) => string,
): { step: string; name?: string; member: unknown }[] {
  const named = Object.entries(Object(properties)).map(([name, member]) => ({ step: access(name), name, member }));
  const others = [...Object.values(Object(patternProperties)), additionalProperties].filter(isSchema);
  const tuple = list(prefixItems ?? items).map((member, index) => ({ step: `[${index}]`, member }));
  return [
    ...named,
    ...others.map((member) => ({ step: '[key]', member })),
    ...tuple,
    ...(isSchema(items) ? [{ step: '[]', member: items }] : []),
  ];
}

function descriptionOf(schema: Foreign, root: unknown) {
  return oneLine(Object(schema).description ?? Object(resolve(schema, root)).description);
}

export function oneLine(description: unknown) {
  return typeof description === 'string' ? description.trim().replace(/\s+/g, ' ') : '';
}
