import { UnusableSchemaError, patternOf } from './documents';
import { constText, issueOf, nameText, oneOfText, pathText, patternText } from './issues';
import { ItemSet, equal } from './equality';
import { describe, isPlainObject } from '../contract/describe';
import type { SchemaIssue } from './issues';
import type { Foreign } from '../contract/foreign';
import type { WorkBudget } from '../contract/budget';
import type { Document } from './documents';

/**
 * Schemas within schemas that apply to a value at the same time. Values are nested less deeply; only references could
 * nest without end.
 */
const MAX_NESTING = 500;
/** UTF-16 units of a string that are counted between two looks at the budget. */
const CHUNK = 16_384;
/** From this number of `enum` members on, strings are looked up instead of compared one by one. */
const MANY_MEMBERS = 16;
/** Approximate steps of the budget per microsecond. */
const STEPS_PER_US = 8;
/** The longest time for one match, in microseconds: nothing can interrupt it. */
const MAX_MATCH_US = 40_000;

export type SchemaNode = Document['root'];

/** The parts of an object or array that schemas have evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Evaluated {
  keys: Set<string>;
  hasAllKeys: boolean;
  /** the number of evaluated items from the first one on */
  items: number;
  /** other evaluated items */
  others: Set<number>;
}

/**
 * Checks one value against a schema. Every schema, property, item, name and member that it looks at is a step of its
 * budget. It stops at the first errors. A failing alternative stops at its first error. The alternatives are examined
 * again for error messages only if none of them fits.
 */
export class Checker {
  #budget;
  /** Whether parts of the schema that cannot be used are left out. */
  #isLenient;
  #path: (string | number)[] = [];
  /** Errors within alternatives are not reported. */
  #silent = 0;
  #nesting = 0;
  /** Resources that the value has reached, for `$dynamicRef`. */
  #scope: SchemaNode['resource'][] = [];

  constructor(budget: WorkBudget<SchemaIssue>, { isLenient }: { isLenient: boolean }) {
    this.#budget = budget;
    this.#isLenient = isLenient;
  }

  /**
   * @param value JSON data
   * @param evaluated records the parts that the schema has evaluated
   * @returns whether it is valid; otherwise the budget has the issues
   */
  *check(node: SchemaNode, value: unknown, evaluated?: Evaluated): Generator<void, boolean, void> {
    this.#budget.spend(1);
    if (this.#budget.shouldPause) yield;
    if (node.isAny) return true;
    if (node.isNever) return this.#fail('false', { reason: 'must be left out', value });
    if (node.types !== undefined && !isOfTypes(node.types, value) && this.#areUsable(node.types)) {
      return this.#fail('type', { reason: `must be ${node.types.map(nameText).join(',')}`, value });
    }
    const rules = (node.rules ??= rulesOf(node.schema));
    if (rules.length === 0) return true;
    if (++this.#nesting > MAX_NESTING) throw new UnusableSchemaError('its references are circular');
    const own = needsNotes(node.schema) ? noNotes() : evaluated;
    this.#scope.push(node.resource);
    let isValid = true;
    for (const { takes, rule } of rules) {
      if (takes !== undefined && !takes(value)) continue;
      const result = rule(this, node.schema, value as Foreign, node, own);
      if (!(typeof result === 'boolean' ? result : yield* result)) isValid = false;
      if (!isValid && this.isOver) break;
    }
    this.#scope.pop();
    this.#nesting--;
    if (evaluated !== undefined && own !== undefined && own !== evaluated && isValid) addNotes(evaluated, own);
    return isValid;
  }

  /** Whether further checks cannot change the result, because one has failed. */
  get isOver() {
    return this.#silent > 0 || this.#budget.isFullOfErrors;
  }

  get budget() {
    return this.#budget;
  }

  get scope() {
    return this.#scope;
  }

  #fail(keyword: string, what: Parameters<typeof issueOf>[2]): false {
    if (this.#silent === 0) {
      const issue = issueOf(this.#path, keyword, what);
      if (!this.#budget.errors.some(({ message }) => message === issue.message)) this.#budget.addError(issue);
    }
    return false;
  }

  expect(isValid: boolean, keyword: string, what: () => Parameters<typeof issueOf>[2]) {
    return isValid || (this.#silent > 0 ? false : this.#fail(keyword, what()));
  }

  /** @param key of the part */
  *part(key: string | number, node: SchemaNode, part: unknown) {
    this.#path.push(key);
    const isValid = yield* this.check(node, part);
    this.#path.pop();
    return isValid;
  }

  /** Whether a value is valid, without reasons. */
  *passes(node: SchemaNode, value: unknown, evaluated?: Evaluated) {
    this.#silent++;
    const isValid = yield* this.check(node, value, evaluated);
    this.#silent--;
    return isValid;
  }

  /** @returns undefined if the pattern cannot be used and is left out */
  matches(pattern: string, text: string): boolean | undefined {
    const matcher = this.#usable(() => patternOf(pattern));
    if (matcher === undefined) return undefined;
    const us = text.length * matcher.usPerCharacter;
    if (us > MAX_MATCH_US) {
      const most = Math.floor(MAX_MATCH_US / matcher.usPerCharacter);
      const place = this.#path.length === 0 ? 'it' : pathText(this.#path);
      throw new TooLongError(
        `${place} has ${text.length} characters, and at most ${most} can be checked by its pattern`,
      );
    }
    this.#budget.spend(1 + Math.ceil((us + matcher.compileUs()) * STEPS_PER_US));
    return matcher.find(text);
  }

  /** @returns undefined if the reference leads nowhere and is left out */
  *target(ref: string, node: SchemaNode): Generator<void, SchemaNode | undefined, void> {
    const work = node.target(ref, this.#budget);
    for (;;) {
      const step = this.#usable(() => work.next());
      if (step === undefined) return undefined;
      if (step.done) return step.value;
      yield;
    }
  }

  /**
   * Whether JSON Schema has all of the types. No value could have an unknown type.
   *
   * @returns false if a type is unknown and is left out
   */
  #areUsable(types: readonly unknown[]): boolean {
    const unknown = types.find((type) => !TYPES.includes(type));
    if (unknown === undefined) return true;
    if (this.#isLenient) return false;
    throw new UnusableSchemaError(`the type ${describe(unknown)} is not one of ${TYPES.join(', ')}`);
  }

  #usable<T>(use: () => T): T | undefined {
    try {
      return use();
    } catch (error) {
      if (this.#isLenient && error instanceof UnusableSchemaError) return undefined;
      throw error;
    }
  }
}

/** All types of JSON Schema. */
const TYPES: readonly unknown[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/** A string is too long for the pattern that it is checked against. */
export class TooLongError extends RangeError {}

export interface Rule {
  /** the words of the rule; a schema has at least one of them */
  words: string[];
  /** the values that it applies to; all by default */
  takes?: (value: unknown) => boolean;
  rule: (
    it: Checker,
    schema: Foreign,
    value: Foreign,
    node: Foreign,
    evaluated: Evaluated | undefined,
  ) => boolean | Generator<void, boolean, void>;
}

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';

/** In the order in which errors are reported. */
const RULES: Rule[] = [
  { words: ['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum'], takes: isNumber, rule: checkBounds },
  { words: ['multipleOf'], takes: isNumber, rule: checkMultiple },
  { words: ['maxLength', 'minLength'], takes: isText, rule: checkLength },
  { words: ['pattern'], takes: isText, rule: checkPattern },
  { words: ['$ref'], rule: (it, schema, value, node, notes) => checkRef(it, schema.$ref, value, node, notes) },
  { words: ['$dynamicRef', '$recursiveRef'], rule: checkDynamicRef },
  { words: ['const'], rule: checkConst },
  { words: ['enum'], rule: checkEnum },
  { words: ['not'], rule: checkNot },
  { words: ['anyOf'], rule: checkAnyOf },
  { words: ['oneOf'], rule: checkOneOf },
  { words: ['allOf'], rule: checkAllOf },
  { words: ['if'], rule: checkIf },
  { words: ['maxItems', 'minItems'], takes: Array.isArray, rule: checkItemCount },
  { words: ['uniqueItems'], takes: Array.isArray, rule: checkUnique },
  { words: ['items', 'prefixItems'], takes: Array.isArray, rule: checkItems },
  { words: ['contains'], takes: Array.isArray, rule: checkContains },
  { words: ['unevaluatedItems'], takes: Array.isArray, rule: checkUnevaluatedItems },
  { words: ['maxProperties', 'minProperties'], takes: isPlainObject, rule: checkPropertyCount },
  { words: ['required'], takes: isPlainObject, rule: (it, { required }, value) => checkRequired(it, required, value) },
  { words: ['dependentRequired', 'dependencies'], takes: isPlainObject, rule: checkDependentRequired },
  { words: ['dependentSchemas', 'dependencies'], takes: isPlainObject, rule: checkDependentSchemas },
  { words: ['propertyNames'], takes: isPlainObject, rule: checkNames },
  { words: ['properties', 'patternProperties', 'additionalProperties'], takes: isPlainObject, rule: checkProperties },
  { words: ['unevaluatedProperties'], takes: isPlainObject, rule: checkUnevaluatedProperties },
];

function rulesOf(schema: Foreign) {
  if (!isPlainObject(schema)) return [];
  return RULES.filter(({ words }) => words.some((word) => Object.hasOwn(schema, word)));
}

function needsNotes(schema: Foreign) {
  return schema.unevaluatedItems !== undefined || schema.unevaluatedProperties !== undefined;
}

function noNotes(): Evaluated {
  return { keys: new Set(), hasAllKeys: false, items: 0, others: new Set() };
}

function addNotes(all: Evaluated, more: Evaluated) {
  for (const key of more.keys) all.keys.add(key);
  for (const index of more.others) all.others.add(index);
  all.hasAllKeys ||= more.hasAllKeys;
  all.items = Math.max(all.items, more.items);
}

function isOfTypes(types: readonly unknown[], value: unknown) {
  for (const type of types) if (isOfType(type, value)) return true;
  return false;
}

function isOfType(type: unknown, value: unknown) {
  switch (type) {
    case 'object':
      return isPlainObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      return false;
  }
}

function checkBounds(
  it: Parameters<Rule['rule']>[0],
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
): ReturnType<Rule['rule']> {
  const expect = (isValid: boolean, keyword: string, bound: string) =>
    it.expect(isValid, keyword, () => ({ reason: `must be ${bound}`, value }));
  // In draft 4, the exclusive keywords are booleans that modify the others.
  const over = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const under = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  let isValid = true;
  if (typeof minimum === 'number') isValid = expect(value >= minimum, 'minimum', `>= ${minimum}`);
  if (typeof maximum === 'number') isValid = expect(value <= maximum, 'maximum', `<= ${maximum}`) && isValid;
  if (typeof over === 'number') isValid = expect(value > over, 'exclusiveMinimum', `> ${over}`) && isValid;
  if (typeof under === 'number') isValid = expect(value < under, 'exclusiveMaximum', `< ${under}`) && isValid;
  return isValid;
}

function checkMultiple(
  it: Parameters<Rule['rule']>[0],
  { multipleOf }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
): ReturnType<Rule['rule']> {
  if (typeof multipleOf !== 'number' || !(multipleOf > 0)) return true;
  return it.expect(isMultiple(value, multipleOf), 'multipleOf', () => ({
    reason: `must be multiple of ${multipleOf}`,
    value,
  }));
}

/** Decimal fractions are not exact as numbers: 19.99 is a multiple of 0.01. */
function isMultiple(value: number, of: number) {
  if (value % of === 0) return true;
  const quotient = value / of;
  return Number.isFinite(quotient) && Math.abs(quotient - Math.round(quotient)) <= 1e-12 * Math.abs(quotient);
}

function* checkLength(
  it: Parameters<Rule['rule']>[0],
  { maxLength, minLength }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
): ReturnType<Rule['rule']> {
  const { length } = value;
  const most = typeof maxLength === 'number' ? maxLength : Infinity;
  const least = typeof minLength === 'number' ? minLength : 0;
  // A character has one or two units.
  const isClear = length <= most && length / 2 >= least;
  const points = isClear ? length : yield* countPoints(it, value);
  const isShort = it.expect(points <= most, 'maxLength', () => ({
    reason: `must NOT have more than ${most} characters`,
    value,
  }));
  const isLong = it.expect(points >= least, 'minLength', () => ({
    reason: `must NOT have fewer than ${least} characters`,
    value,
  }));
  return isShort && isLong;
}

function* countPoints({ budget }: Checker, text: string) {
  let points = text.length;
  for (let at = 1; at < text.length; at++) {
    if (at % CHUNK === 0) {
      budget.spend(CHUNK / 16);
      if (budget.shouldPause) yield;
    }
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) points--;
  }
  return points;
}

function* checkPattern(
  it: Parameters<Rule['rule']>[0],
  { pattern }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
): ReturnType<Rule['rule']> {
  if (typeof pattern !== 'string') return true;
  if (it.budget.shouldPause) yield;
  return it.expect(it.matches(pattern, value) !== false, 'pattern', () => ({ reason: patternText(pattern), value }));
}

function* checkRef(
  it: Checker,
  ref: unknown,
  value: unknown,
  node: SchemaNode,
  notes: Evaluated | undefined,
): Generator<void, boolean, void> {
  if (typeof ref !== 'string') return true;
  const target = yield* it.target(ref, node);
  return target === undefined || (yield* it.check(target, value, notes));
}

function* checkDynamicRef(
  it: Parameters<Rule['rule']>[0],
  { $dynamicRef, $recursiveRef }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
  node: Parameters<Rule['rule']>[3],
  notes: Parameters<Rule['rule']>[4],
): ReturnType<Rule['rule']> {
  const ref = $dynamicRef ?? $recursiveRef;
  if (typeof ref !== 'string') return true;
  const target = yield* it.target(ref, node);
  if (target === undefined) return true;
  yield* target.resource.document.index(it.budget);
  const name = $dynamicRef === undefined ? '' : ref.slice(ref.indexOf('#') + 1);
  const isDynamic = target.resource.dynamicAnchors.get(name) === target.schema;
  if (!isDynamic) return yield* it.check(target, value, notes);
  const outer = it.scope.find(({ dynamicAnchors }) => dynamicAnchors.has(name));
  const schema = outer?.dynamicAnchors.get(name);
  return yield* it.check(outer === undefined ? target : outer.document.node(schema, outer), value, notes);
}

function* checkConst(
  it: Parameters<Rule['rule']>[0],
  { const: wanted }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
): ReturnType<Rule['rule']> {
  const isEqual = yield* equal(wanted, value, it.budget);
  return it.expect(isEqual, 'const', () => ({ reason: constText(wanted), value }));
}

function* checkEnum(
  it: Parameters<Rule['rule']>[0],
  { enum: members }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
  node: Parameters<Rule['rule']>[3],
): ReturnType<Rule['rule']> {
  if (!Array.isArray(members) || members.length === 0) return true;
  return it.expect(yield* isMember(it, members, value, node), 'enum', () => ({ reason: oneOfText(members), value }));
}

function* isMember(it: Checker, members: unknown[], value: unknown, node: SchemaNode) {
  if (typeof value === 'string' && members.length > MANY_MEMBERS) {
    if (node.enumStrings === undefined) {
      const strings = new Set();
      for (const member of members) {
        it.budget.spend(1);
        if (it.budget.shouldPause) yield;
        if (typeof member === 'string') strings.add(member);
      }
      node.enumStrings = strings;
    }
    return node.enumStrings.has(value);
  }
  for (const member of members) if (yield* equal(member, value, it.budget)) return true;
  return false;
}

function* checkNot(
  it: Parameters<Rule['rule']>[0],
  { not }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
  node: Parameters<Rule['rule']>[3],
): ReturnType<Rule['rule']> {
  const passes = yield* it.passes(node.child(not), value);
  return it.expect(!passes, 'not', () => ({ reason: 'must NOT be valid', value }));
}

function* checkAnyOf(
  it: Parameters<Rule['rule']>[0],
  { anyOf }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
  node: Parameters<Rule['rule']>[3],
  notes: Parameters<Rule['rule']>[4],
): ReturnType<Rule['rule']> {
  if (!Array.isArray(anyOf) || anyOf.length === 0) return true;
  let passes = false;
  for (const schema of anyOf) {
    const own = notes && noNotes();
    if (!(yield* it.passes(node.child(schema), value, own))) continue;
    passes = true;
    if (notes === undefined) return true;
    addNotes(notes, own as Evaluated);
  }
  if (passes) return true;
  yield* tellAlternatives(it, anyOf, value, node);
  return it.expect(false, 'anyOf', () => ({ reason: 'must match a schema in anyOf', value }));
}

function* checkOneOf(
  it: Parameters<Rule['rule']>[0],
  { oneOf }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
  node: Parameters<Rule['rule']>[3],
  notes: Parameters<Rule['rule']>[4],
): ReturnType<Rule['rule']> {
  if (!Array.isArray(oneOf) || oneOf.length === 0) return true;
  let passed = 0;
  for (const schema of oneOf) {
    const own = notes && noNotes();
    if (!(yield* it.passes(node.child(schema), value, own))) continue;
    if (++passed === 2) break;
    if (notes !== undefined) addNotes(notes, own as Evaluated);
  }
  if (passed === 1) return true;
  if (passed === 0) yield* tellAlternatives(it, oneOf, value, node);
  return it.expect(false, 'oneOf', () => ({ reason: 'must match exactly one schema in oneOf', value }));
}

/** The issues of a value for alternatives of which none fits. */
function* tellAlternatives(it: Checker, schemas: unknown[], value: unknown, node: SchemaNode) {
  for (const schema of schemas) {
    if (it.isOver) return;
    yield* it.check(node.child(schema), value);
  }
}

function* checkAllOf(
  it: Parameters<Rule['rule']>[0],
  { allOf }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
  node: Parameters<Rule['rule']>[3],
  notes: Parameters<Rule['rule']>[4],
): ReturnType<Rule['rule']> {
  if (!Array.isArray(allOf)) return true;
  let isValid = true;
  for (const schema of allOf) {
    if (!(yield* it.check(node.child(schema), value, notes))) isValid = false;
    if (!isValid && it.isOver) break;
  }
  return isValid;
}

function* checkIf(
  it: Parameters<Rule['rule']>[0],
  schema: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
  node: Parameters<Rule['rule']>[3],
  notes: Parameters<Rule['rule']>[4],
): ReturnType<Rule['rule']> {
  const own = notes && noNotes();
  const passes = yield* it.passes(node.child(schema.if), value, own);
  if (passes && notes !== undefined) addNotes(notes, own as Evaluated);
  const next = passes ? schema.then : schema.else;
  return next === undefined ? true : yield* it.check(node.child(next), value, notes);
}

function checkItemCount(
  it: Parameters<Rule['rule']>[0],
  { maxItems, minItems }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
): ReturnType<Rule['rule']> {
  const { length } = value;
  const isShort = it.expect(!(length > maxItems), 'maxItems', () => ({
    reason: `must NOT have more than ${maxItems} items`,
    value,
  }));
  const isLong = it.expect(!(length < minItems), 'minItems', () => ({
    reason: `must NOT have fewer than ${minItems} items`,
    value,
  }));
  return isShort && isLong;
}

function* checkUnique(
  it: Parameters<Rule['rule']>[0],
  { uniqueItems }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
): ReturnType<Rule['rule']> {
  if (uniqueItems !== true || value.length < 2) return true;
  const items = new ItemSet(value, it.budget);
  for (let index = 0; index < value.length; index++) {
    if (yield* items.add(index)) continue;
    return it.expect(false, 'uniqueItems', () => ({ reason: 'must not have duplicate items', value }));
  }
  return true;
}

function* checkItems(
  it: Parameters<Rule['rule']>[0],
  { prefixItems, items, additionalItems }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
  node: Parameters<Rule['rule']>[3],
  notes: Parameters<Rule['rule']>[4],
): ReturnType<Rule['rule']> {
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  const rest = Array.isArray(items) ? additionalItems : items;
  const others = rest === undefined ? undefined : node.child(rest);
  if (notes !== undefined) notes.items = Math.max(notes.items, others === undefined ? first.length : value.length);
  const end = others === undefined ? Math.min(first.length, value.length) : value.length;
  const { budget } = it;
  const isSimple = others !== undefined && (others.isAny || isTypeOnly(others));
  let isValid = true;
  for (let index = 0; index < end; index++) {
    if (isSimple && index >= first.length && (others.isAny || isOfTypes(others.types, value[index]))) {
      budget.spend(1);
      if (budget.shouldPause) yield;
      continue;
    }
    const schema = index < first.length ? node.child(first[index]) : others;
    if (!(yield* it.part(index, schema, value[index]))) isValid = false;
    if (!isValid && it.isOver) break;
  }
  return isValid;
}

function isTypeOnly(node: Foreign) {
  return node.types !== undefined && (node.rules ??= rulesOf(node.schema)).length === 0;
}

function* checkContains(
  it: Parameters<Rule['rule']>[0],
  { contains, minContains = 1, maxContains = Infinity }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
  node: Parameters<Rule['rule']>[3],
  notes: Parameters<Rule['rule']>[4],
): ReturnType<Rule['rule']> {
  const wanted = node.child(contains);
  let found = 0;
  for (let index = 0; index < value.length; index++) {
    if (!(yield* it.passes(wanted, value[index]))) continue;
    found++;
    notes?.others.add(index);
    if (notes === undefined && (found > maxContains || (maxContains === Infinity && found >= minContains))) break;
  }
  const most = maxContains === Infinity ? '' : ` and at most ${maxContains}`;
  return it.expect(found >= minContains && found <= maxContains, 'contains', () => ({
    reason: `must contain at least ${minContains}${most} valid item(s)`,
    value,
  }));
}

function* checkUnevaluatedItems(
  it: Parameters<Rule['rule']>[0],
  { unevaluatedItems }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
  node: Parameters<Rule['rule']>[3],
  notes: Parameters<Rule['rule']>[4],
): ReturnType<Rule['rule']> {
  if (notes === undefined || unevaluatedItems === undefined) return true;
  const schema = node.child(unevaluatedItems);
  let isValid = true;
  for (let index = notes.items; index < value.length; index++) {
    it.budget.spend(1);
    if (it.budget.shouldPause) yield;
    if (notes.others.has(index)) continue;
    if (!(yield* it.part(index, schema, value[index]))) isValid = false;
    if (!isValid && it.isOver) break;
  }
  notes.items = value.length;
  return isValid;
}

function checkPropertyCount(
  it: Parameters<Rule['rule']>[0],
  { maxProperties, minProperties }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
): ReturnType<Rule['rule']> {
  const { length } = Object.keys(value);
  it.budget.spend(length >> 2);
  const isSmall = it.expect(!(length > maxProperties), 'maxProperties', () => ({
    reason: `must NOT have more than ${maxProperties} properties`,
    value,
  }));
  const isLarge = it.expect(!(length < minProperties), 'minProperties', () => ({
    reason: `must NOT have fewer than ${minProperties} properties`,
    value,
  }));
  return isSmall && isLarge;
}

function* checkRequired(it: Checker, names: unknown, value: object) {
  if (!Array.isArray(names)) return true;
  let isValid = true;
  for (const name of names) {
    it.budget.spend(1);
    if (it.budget.shouldPause) yield;
    if (typeof name !== 'string' || Object.hasOwn(value, name)) continue;
    isValid = it.expect(false, 'required', () => ({ inside: nameText(name), reason: 'is missing' }));
    if (it.isOver) break;
  }
  return isValid;
}

function* checkDependentRequired(
  it: Parameters<Rule['rule']>[0],
  { dependentRequired, dependencies }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
): ReturnType<Rule['rule']> {
  let isValid = true;
  for (const given of [dependentRequired, dependencies]) {
    for (const name in Object(given)) {
      it.budget.spend(1);
      if (it.budget.shouldPause) yield;
      if (!Array.isArray(given[name]) || !Object.hasOwn(value, name)) continue;
      if (!(yield* checkRequired(it, given[name], value))) isValid = false;
      if (!isValid && it.isOver) return false;
    }
  }
  return isValid;
}

function* checkDependentSchemas(
  it: Parameters<Rule['rule']>[0],
  { dependentSchemas, dependencies }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
  node: Parameters<Rule['rule']>[3],
  notes: Parameters<Rule['rule']>[4],
): ReturnType<Rule['rule']> {
  let isValid = true;
  for (const given of [dependentSchemas, dependencies]) {
    for (const name in Object(given)) {
      it.budget.spend(1);
      if (it.budget.shouldPause) yield;
      if (Array.isArray(given[name]) || !Object.hasOwn(value, name)) continue;
      if (!(yield* it.check(node.child(given[name]), value, notes))) isValid = false;
      if (!isValid && it.isOver) return false;
    }
  }
  return isValid;
}

function* checkNames(
  it: Parameters<Rule['rule']>[0],
  { propertyNames }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
  node: Parameters<Rule['rule']>[3],
): ReturnType<Rule['rule']> {
  const schema = node.child(propertyNames);
  let isValid = true;
  for (const name of Object.keys(value)) {
    if (yield* it.passes(schema, name)) continue;
    isValid = it.expect(false, 'propertyNames', () => ({
      inside: nameText(name),
      reason: 'has a name that is not valid',
    }));
    if (it.isOver) break;
  }
  return isValid;
}

function* checkProperties(
  it: Parameters<Rule['rule']>[0],
  { properties, patternProperties, additionalProperties }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
  node: Parameters<Rule['rule']>[3],
  notes: Parameters<Rule['rule']>[4],
): ReturnType<Rule['rule']> {
  const named = isPlainObject(properties) ? properties : {};
  const patterns = isPlainObject(patternProperties) ? Object.keys(patternProperties) : [];
  const others = additionalProperties === undefined ? undefined : node.child(additionalProperties);
  const { budget } = it;
  let isValid = true;
  for (const key of Object.keys(value)) {
    budget.spend(1);
    if (budget.shouldPause) yield;
    let isKnown = false;
    if (Object.hasOwn(named, key)) {
      isKnown = true;
      if (!(yield* it.part(key, node.child(named[key]), value[key]))) isValid = false;
    }
    for (const pattern of patterns) {
      if (budget.shouldPause) yield;
      const isMatch = it.matches(pattern, key);
      if (isMatch === false) continue;
      isKnown = true;
      if (isMatch && !(yield* it.part(key, node.child(patternProperties[pattern]), value[key]))) isValid = false;
    }
    if (!isKnown && others !== undefined) {
      isKnown = true;
      if (others.isNever) isValid = isNoParameter(it, key);
      else if (!(yield* it.part(key, others, value[key]))) isValid = false;
    }
    if (isKnown) notes?.keys.add(key);
    if (!isValid && it.isOver) break;
  }
  return isValid;
}

function* checkUnevaluatedProperties(
  it: Parameters<Rule['rule']>[0],
  { unevaluatedProperties }: Parameters<Rule['rule']>[1],
  value: Parameters<Rule['rule']>[2],
  node: Parameters<Rule['rule']>[3],
  notes: Parameters<Rule['rule']>[4],
): ReturnType<Rule['rule']> {
  if (notes === undefined || unevaluatedProperties === undefined) return true;
  if (notes.hasAllKeys) return true;
  const schema = node.child(unevaluatedProperties);
  let isValid = true;
  for (const key of Object.keys(value)) {
    it.budget.spend(1);
    if (it.budget.shouldPause) yield;
    if (notes.keys.has(key)) continue;
    if (schema.isNever) isValid = isNoParameter(it, key);
    else if (!(yield* it.part(key, schema, value[key]))) isValid = false;
    if (!isValid && it.isOver) break;
  }
  notes.hasAllKeys = true;
  return isValid;
}

function isNoParameter(it: Checker, key: string) {
  return it.expect(false, 'additionalProperties', () => ({ inside: nameText(key), reason: 'is not a parameter' }));
}
