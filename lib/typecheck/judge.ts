// Decides which diagnostics of TypeScript stop a run: those of code that would fail, or that would pass wrong data to a
// tool. `__test__/typecheck/corpus/` has the programs that the rules were found with.

import { isFunction, nameUses, nodeAt, textOf } from './syntax';
import { membersIn, parts } from './type-text';
import type { Found, Kinds, SyntaxNode, Tree } from './compiler';
import type { NameUses } from './syntax';

/** A diagnostic that stops a run. Offsets are UTF-16 units in the file. */
export interface Finding {
  at: number;
  text: string;
  /** What the diagnostic is about, if later checks of other runs decide about it. */
  name?: { kind: 'variable' | 'member'; text: string };
  /** Whether a promise is used where its value is meant. */
  lacksAwait: boolean;
}

type Rule = (found: Found, place: Place) => boolean | Promise<boolean>;

interface Place extends NameUses {
  tree: Tree;
  node: SyntaxNode;
  /** Names of variables and members that get values of other types later. */
  changing: Set<string>;
}

const always = () => true;

/** Rules by the codes of TypeScript. Diagnostics with other codes never stop a run. */
const RULES = new Map<number, Rule>([
  // Cannot find name …
  ...[2304, 2552, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 2868, 18004].map(
    (code) => [code, isMissing] as const,
  ),
  // Cannot find module …
  [2307, isRequired],
  // … only refers to a type, but is used as a value
  [2693, (_, place) => !isInType(place)],
  // … is used before its declaration
  ...[2448, 2449, 2450].map((code) => [code, always] as const),
  // Property … does not exist on type …
  ...[2339, 2550, 2551, 2568, 2576].map((code) => [code, lacksMember] as const),
  // Tuple type … has no element at index …
  [2493, always],
  // This expression is not callable, or not constructable, or a getter.
  ...[2349, 2351, 6234].map((code) => [code, isNotCallable] as const),
  // Value of type … is not callable. Did you mean to include 'new'?
  [2348, always],
  // … is not iterable, or not an array
  ...[2488, 2461, 2495, 2504, 2548, 2549, 2569].map((code) => [code, isNotIterable] as const),
  // … is not assignable, lacks properties, or has others
  ...[2322, 2345, 2559, 2560, 2739, 2740, 2741, 2769, 2820].map((code) => [code, isWrongValue] as const),
  ...[2353, 2561].map((code) => [code, isForHost] as const),
  // Expected … arguments. A list that is spread (2556) may have the right ones.
  ...[2554, 2555, 2575].map((code) => [code, isForHost] as const),
  // Operators
  ...[2365, 2367, 2538].map((code) => [code, isWrongOperand] as const),
  // … of an arithmetic operation must be a number
  ...[2362, 2363].map((code) => [code, isPromise] as const),
  // The right-hand side of `in` and `instanceof`
  ...[2359, 2361].map((code) => [code, always] as const),
  // Assignments to constants
  [2588, always],
  // `super` must be called before `this`
  [17009, always],
]);

/** A value of another type is assigned. */
const NOT_ASSIGNED = new Set([2322, 2739, 2740, 2741]);
const NO_REQUIRE = "Cannot find name 'require'.";
/** 'await' was forgotten. */
const FORGOT_AWAIT = 2773;
const NO_CALL_SIGNATURES = 2757;
const NO_CONSTITUENT_IS_CALLABLE = 2755;
/** Property … is optional in type … but required in type … */
const IS_OPTIONAL = 2327;
/** The type … is 'readonly' and cannot be assigned to the mutable type … */
const IS_READONLY = 4104;
const NOT_MEMBER = /^Property '(.*?)' does not exist on type '([^]*)'\./;
const NOT_ASSIGNABLE =
  /^(?:Type|Argument of type) '([^]*)' is not assignable to (?:type|parameter of type) '([^]*)'\.(?: Did you mean '[^]*'\?)?$/;
const LACKS = /^(?:Property '[^]*' is missing|Type '[^]*' is missing the following properties).*?/;
const LACKING_TYPE =
  /^(?:Property '[^']*' is missing in type|Type) '([^]*?)' (?:but required in type|is missing the following)/;
/** Errors have further members that their types do not list. */
const ERROR = /^(?:[\p{ID_Continue}$]*Error|typeof globalThis|this|never|unknown|object|\{\}|void|null|undefined)$/u;
/** Functions can have members that nobody sees. Those of the host return promises. */
const OWN_FUNCTION = /^(?:<[^]*>)?\([^]*\) => (?!Promise<)/;
const PROMISE = /^Promise(?:Like)?</;

/** @returns the diagnostics that stop a run */
export async function judge(all: Found[], tree: Tree): Promise<Finding[]> {
  const relevant = all.filter(({ code }) => RULES.has(code));
  if (relevant.length === 0) return [];
  const uses = { ...nameUses(tree), changing: changingNames(all, tree) };
  const findings: Finding[] = [];
  for (const found of relevant) {
    const node = nodeAt(tree.root, found.at, found.end);
    const rule = RULES.get(found.code) as Rule;
    if (!(await rule(found, { tree, node, ...uses }))) continue;
    findings.push({
      at: found.at,
      text: textOfFound(found, node, tree.kinds),
      ...nameOf(found, node),
      lacksAwait: lacksAwait(found) || rule === isPromise,
    });
  }
  return findings;
}

function nameOf({ code }: Found, node: SyntaxNode): Pick<Finding, 'name'> {
  const rule = RULES.get(code);
  if (isRequireCall(node.parent)) return { name: { kind: 'variable', text: 'require' } };
  if (rule === isMissing) return { name: { kind: 'variable', text: textOf(node) } };
  if (rule === lacksMember) return { name: { kind: 'member', text: textOf(node) } };
  return {};
}

/** Whether a variable is missing that the program needs. */
function isMissing(found: Found, place: Place) {
  const { node, probed, assigned, tree } = place;
  if (isRequired(found, place)) return true;
  // Comments are not in the tree, nor are the types in them. They belong to the node after them.
  if (node.kind !== tree.kinds.Identifier || node.end !== found.end) return false;
  const name = textOf(node);
  return !probed.has(name) && !assigned.has(name) && !isInType(place);
}

/** Whether Node.js would load a module there. Imports are checked elsewhere. */
function isRequired(_: Found, { node }: Place) {
  return isRequireCall(node.parent);
}

function isRequireCall(call: SyntaxNode | undefined) {
  return textOf(call?.expression) === 'require';
}

/** Whether the program reads a member that nothing gives to the object. */
function lacksMember({ text }: Found, place: Place) {
  const { node, assigned, tested, changing } = place;
  const [, name, type] = NOT_MEMBER.exec(text) ?? [];
  const member = name ?? textOf(node);
  if (assigned.has(member) || tested.has(member) || isTestedLater(place)) return false;
  if (changing.has(lastNameOf(node.parent?.expression))) return false;
  if (type === undefined) return true;
  const alternatives = [...new Set(parts(type).map(kindOfLiteral))];
  if (member === '__proto__' || alternatives.some((part) => ERROR.test(part) || OWN_FUNCTION.test(part))) return false;
  // Some of the values may have the member.
  return (
    alternatives.length === 1 || alternatives.every((part) => part.startsWith('{') && !membersIn(part).includes(member))
  );
}

/** The type of a literal, for a type that is one. */
function kindOfLiteral(type: string) {
  if (/^["`]/.test(type)) return 'string';
  if (/^-?\d/.test(type)) return 'number';
  return type === 'true' || type === 'false' ? 'boolean' : type;
}

/** Whether the program tests the variable that gets the member, or has a default for it. */
function isTestedLater({ node, testedVariables, tree: { kinds } }: Place) {
  const { parent } = node;
  if (parent?.kind === kinds.BindingElement) {
    const hasDefault = parent.initializer !== undefined || isOptionalParameter(parent, kinds);
    return hasDefault || testedVariables.has(textOf(parent.name));
  }
  const holder = parent?.parent;
  return holder?.kind === kinds.VariableDeclaration && testedVariables.has(textOf(holder.name));
}

/** Whether a part of a pattern belongs to a parameter with a default, whose type follows from the default alone. */
function isOptionalParameter(part: SyntaxNode, kinds: Kinds) {
  let node: SyntaxNode | undefined = part;
  while (node !== undefined && (node.kind === kinds.BindingElement || isPattern(node, kinds))) node = node.parent;
  return node?.kind === kinds.Parameter && node.initializer !== undefined;
}

function isPattern({ kind }: SyntaxNode, kinds: Kinds) {
  return kind === kinds.ObjectBindingPattern || kind === kinds.ArrayBindingPattern;
}

/** Names that are assigned values that TypeScript does not expect in them, which JavaScript allows. */
function changingNames(all: Found[], { root, kinds }: Tree) {
  const names = new Set<string>();
  for (const { code, at, end } of all) {
    if (!NOT_ASSIGNED.has(code)) continue;
    const node = nodeAt(root, at, end);
    const target = node.parent?.kind === kinds.PropertyAccessExpression ? node.parent : node;
    const assignment = target?.parent;
    if (assignment?.kind === kinds.BinaryExpression && assignment.left === target) names.add(lastNameOf(target));
  }
  names.delete('');
  return names;
}

/** `c` for `a.b.c` and for `c`. */
function lastNameOf(expression: SyntaxNode | undefined) {
  return textOf(expression?.name ?? expression);
}

function isNotCallable({ text, reasons }: Found) {
  if (/'never'/.test(text) || reasons.some((reason) => /^Type '(?:never|unknown|Function|object)' /.test(reason.text)))
    return false;
  if (reasons.length === 0) return true;
  return reasons.some(
    ({ code, text: reason }) =>
      code === NO_CONSTITUENT_IS_CALLABLE || code === NO_CALL_SIGNATURES || /no construct signatures/.test(reason),
  );
}

function isNotIterable({ text }: Found) {
  const [, type = ''] = /'([^]*?)'/.exec(text) ?? [];
  return parts(type).length === 1 && !ERROR.test(type);
}

/** Whether a value is wrong for a function of the host, or is a promise where its value is needed. */
async function isWrongValue(found: Found, place: Place) {
  const isPromise = lacksAwait(found);
  const call = callAround(place.node, place.tree.kinds);
  // A promise in a variable, or in place of a list of promises.
  if (call === undefined || textOf(call.expression.expression) === 'Promise') return isPromise;
  return (isPromise || !isRightWhenRun(found, place)) && place.tree.callsHost(call);
}

/** Whether a value whose type is too wide may be right nevertheless. */
function isRightWhenRun({ text, reasons }: Found, { node, tree: { kinds } }: Place) {
  if (reasons.some(({ code }) => code === IS_OPTIONAL || code === IS_READONLY)) return true;
  const messages = [text, ...reasons.map((reason) => reason.text)];
  const last = messages[messages.length - 1];
  // A list whose length is not known.
  if (last.startsWith('Target requires ')) return true;
  if (LACKS.test(last)) {
    const [, type = ''] = LACKING_TYPE.exec(last) ?? [];
    // Members are added later, or have names that are computed.
    const isOpen = /^(?:\{\}|\{ \[|Record<|Partial<|object$|unknown$)/.test(type);
    return isOpen && node.kind !== kinds.ObjectLiteralExpression;
  }
  const [, from, to] = NOT_ASSIGNABLE.exec(last) ?? [];
  if (from !== undefined && isWiderThan(from, to)) return true;
  // The last message may be about one alternative of the value, and the message before it about all of them.
  const [, union, target] = NOT_ASSIGNABLE.exec(messages.at(-2) ?? '') ?? [];
  return union !== undefined && hasPartOf(union, target);
}

/** Whether some values of the type `from` are right for the type `to`, as far as the texts of the types show it. */
function isWiderThan(from: string, to: string) {
  const targets = parts(to);
  if (hasPartOf(from, to)) return true;
  switch (from) {
    case 'string':
      return targets.some((part) => /^["`]/.test(part));
    case 'number':
      return targets.some((part) => /^-?\d/.test(part));
    case 'boolean':
      return targets.some((part) => part === 'true' || part === 'false');
    // JSON has strings for these.
    case 'Date':
    case 'URL':
      return targets.includes('string');
    case '{}':
    case 'unknown':
    case 'object':
    case 'void':
      return from !== 'void';
    default:
      return from.endsWith('[]') && targets.some((part) => part.startsWith('['));
  }
}

/** Whether the innermost call around the place, or at it, is one of a function of the host. */
async function isForHost(_: Found, { node, tree }: Place) {
  const call = callAround(node, tree.kinds);
  return call !== undefined && (await tree.callsHost(call));
}

function callAround(node: SyntaxNode, kinds: Kinds) {
  for (let child = node, { parent } = node; parent !== undefined; child = parent, { parent } = parent) {
    // The name of the function is what is wrong with the number of arguments.
    const isCall = parent.kind === kinds.CallExpression || parent.kind === kinds.NewExpression;
    if (isCall && (parent.expression !== child || isName(node, child))) return parent;
    if (isFunction(parent, kinds)) return undefined;
  }
  return undefined;
}

/** Whether a node is the name of a called function: `f`, or `f` of `a.f`. */
function isName(node: SyntaxNode, called: SyntaxNode) {
  return node === called || called.name === node;
}

/** Whether an operand is a promise, which the message does not say. Dates, strings and others become numbers. */
async function isPromise(found: Found, { tree, node }: Place) {
  return lacksAwait(found) || PROMISE.test((await tree.typesOf([node]))[0]);
}

function isWrongOperand(found: Found) {
  return lacksAwait(found) || /^Operator .*'bigint'.*'number'|^Operator .*'number'.*'bigint'/.test(found.text);
}

/** Whether TypeScript says so, or names a promise that a function of the host has returned. */
function lacksAwait({ text, reasons, related }: Found) {
  if (related.includes(FORGOT_AWAIT)) return true;
  return [text, ...reasons.map((reason) => reason.text)].some((message) => {
    const [, type] = NOT_MEMBER.exec(message) ?? [];
    if (type !== undefined) return false;
    const [, from, to] = NOT_ASSIGNABLE.exec(message) ?? [];
    if (from !== undefined) return PROMISE.test(from) && !/Promise/.test(to);
    const [, lacking] = LACKING_TYPE.exec(message) ?? [];
    if (lacking !== undefined) return PROMISE.test(lacking);
    return /^(?:Operator|This comparison|Type 'Promise)[^]*'Promise</.test(message) || /^Type 'Promise</.test(message);
  });
}

/** Whether a type has several alternatives, and one of them is one of the type `to`. */
function hasPartOf(from: string, to: string) {
  const targets = parts(to);
  const some = parts(from);
  return some.length > 1 && some.some((part) => targets.includes(part));
}

/** Whether a name is part of a type, which is removed before the program runs. */
function isInType({ node, tree: { kinds } }: Place) {
  for (let { parent } = node; parent !== undefined; { parent } = parent) {
    switch (parent.kind) {
      case kinds.TypeReference:
      case kinds.TypeQuery:
      case kinds.InterfaceDeclaration:
      case kinds.TypeAliasDeclaration:
      case kinds.JSDoc:
        return true;
      case kinds.HeritageClause:
        return parent.token === kinds.ImplementsKeyword;
      case kinds.Block:
        return false;
    }
  }
  return false;
}

const MAX_TEXT = 600;

/** The message, and the most exact one of its reasons. */
function textOfFound({ text, reasons }: Found, node: SyntaxNode, kinds: Kinds) {
  if (isRequireCall(node.parent)) return NO_REQUIRE;
  // The name of a member is only in the code.
  const isMember = node.parent?.name === node && isMemberOfLiteral(node.parent, kinds);
  return `${isMember && text.startsWith('Type ') ? `'${textOf(node)}': ` : ''}${messageOf(text, reasons)}`;
}

function isMemberOfLiteral({ kind }: SyntaxNode, kinds: Kinds) {
  return kind === kinds.PropertyAssignment || kind === kinds.ShorthandPropertyAssignment;
}

function messageOf(text: string, reasons: Found['reasons']) {
  const last = reasons[reasons.length - 1]?.text;
  const whole = last === undefined ? text : `${text} ${last}`;
  return whole.length <= MAX_TEXT ? whole : `${whole.slice(0, MAX_TEXT / 2)} … ${whole.slice(-MAX_TEXT / 2)}`;
}
