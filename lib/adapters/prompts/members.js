// @ts-check
'use strict';

const { isSchema, list, resolve, within } = require('./schema-types');

/**
 * A member of a value, or of its members.
 *
 * @typedef {object} Member
 * @property {string} path the way to it from the value: names, `[]` for items, `[key]` for what has no names, `[0]` in tuples
 * @property {string} parent that of what it is a member of
 * @property {string | undefined} name undefined for items
 * @property {string} description in one line
 */

/** What comes later is left out. */
const MAX_MEMBERS = 500;

/**
 * The members that a schema names, those of its items and of all that it combines; the first at each path.
 *
 * @param {unknown} schema
 * @param {import('./schema-types').TypeContext} context
 * @param {(name: string) => string} access how the language writes the way to a member of that name
 * @returns {Member[]}
 */
function membersOf(schema, context, access) {
  /** @type {Map<string, Member>} */
  const members = new Map();
  const collect = (/** @type {unknown} */ part, /** @type {string} */ parent) =>
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

/**
 * @param {import('./schema-types').Schema} schema
 * @param {(name: string) => string} access
 * @returns {{ step: string, name?: string, member: unknown }[]}
 */
function membersIn({ properties, patternProperties, additionalProperties, prefixItems, items }, access) {
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

/**
 * @param {any} schema
 * @param {unknown} root
 */
function descriptionOf(schema, root) {
  return oneLine(Object(schema).description ?? Object(resolve(schema, root)).description);
}

/** @param {unknown} description */
function oneLine(description) {
  return typeof description === 'string' ? description.trim().replace(/\s+/g, ' ') : '';
}

module.exports = { membersOf, oneLine };
