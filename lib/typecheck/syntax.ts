import { isPortable } from './type-text';
import type { Kinds, SyntaxNode, Tree } from './compiler';

/** What later programs have to know about a program. */
export interface ProgramFacts {
  /** Names that the program declares for later programs. */
  declares: Declared[];
  /** Names of members that the program gives to objects. Later programs can read them. */
  assigns: string[];
}

export interface Declared {
  name: string;
  /** The type of a variable, if it means the same elsewhere. */
  type?: string;
}

/** Names whose absence a program expects or causes. */
export interface NameUses {
  /** Names of variables that the program asks for with `typeof`. */
  probed: Set<string>;
  /** Names of members that the program gives to objects, or that one of its classes has. */
  assigned: Set<string>;
  /** Names of members that the program tests before it uses them, or replaces if they are absent. */
  tested: Set<string>;
  /** Names of variables that the program tests in the same way. */
  testedVariables: Set<string>;
}

/** Declarations of further names that a program keeps. */
const MAX_NAMES = 2_000;
const ASSIGNMENTS = `EqualsToken PlusEqualsToken MinusEqualsToken AsteriskEqualsToken AsteriskAsteriskEqualsToken
  SlashEqualsToken PercentEqualsToken LessThanLessThanEqualsToken GreaterThanGreaterThanEqualsToken
  GreaterThanGreaterThanGreaterThanEqualsToken AmpersandEqualsToken BarEqualsToken CaretEqualsToken BarBarEqualsToken
  AmpersandAmpersandEqualsToken QuestionQuestionEqualsToken`.split(/\s+/);
const COMPARISONS = [
  'EqualsEqualsToken',
  'EqualsEqualsEqualsToken',
  'ExclamationEqualsToken',
  'ExclamationEqualsEqualsToken',
];
const LOGICAL = ['AmpersandAmpersandToken', 'BarBarToken', 'QuestionQuestionToken'];
/** Methods of `Object` whose objects give their members to another object. */
const GIVING = ['assign', 'defineProperty', 'defineProperties'];
const ASKING = ['hasOwn', 'hasOwnProperty'];

/** @param body the block of the function that contains the program */
export async function factsOf(tree: Tree, body: SyntaxNode, isTypeScript: boolean): Promise<ProgramFacts> {
  const { kinds } = tree;
  const all: SyntaxNode[] = [];
  body.forEachChild((statement) => declaredBy(statement, kinds, all));
  varsIn(body, kinds, all);
  const names = all.slice(0, MAX_NAMES);
  const own = new Set(names.map(textOf));
  const variables = names.filter((name) => isVariable(name, kinds) && (isTypeScript || !makesObjects(name, kinds)));
  const types = variables.length === 0 ? [] : await tree.typesOf(variables);
  const typed = new Map(variables.map((name, i) => [name, types[i]] as const));
  const declares = new Map(
    names.map((name) => [textOf(name), declaredAs(textOf(name), typed.get(name), own)] as const),
  );
  return { declares: [...declares.values()], assigns: [...nameUses(tree).assigned].slice(0, MAX_NAMES) };
}

function declaredAs(name: string, type: string | undefined, own: ReadonlySet<string>): Declared {
  return type !== undefined && isPortable(type, own) ? { name, type } : { name };
}

/** Adds the names that a statement declares. */
function declaredBy(statement: SyntaxNode, kinds: Kinds, names: SyntaxNode[]) {
  switch (statement.kind) {
    case kinds.VariableStatement:
      return bound(statement.declarationList, kinds, names);
    case kinds.FunctionDeclaration:
    case kinds.ClassDeclaration:
    case kinds.EnumDeclaration:
    case kinds.InterfaceDeclaration:
    case kinds.TypeAliasDeclaration:
    case kinds.ModuleDeclaration:
      return bound(statement, kinds, names);
    default:
      return undefined;
  }
}

/** Adds the names that a declaration binds, also within patterns. */
function bound(node: SyntaxNode, kinds: Kinds, names: SyntaxNode[]) {
  const pending = [node];
  for (const next of pending) {
    if (next.kind === kinds.VariableDeclarationList) next.forEachChild((child) => void pending.push(child));
    else if (next.name?.kind === kinds.Identifier) names.push(next.name);
    else next.name?.forEachChild((child: SyntaxNode) => void pending.push(child));
  }
}

/** Adds the names of `var` in nested blocks, which belong to the whole program. */
function varsIn(body: SyntaxNode, kinds: Kinds, names: SyntaxNode[]) {
  each(body, (node) => {
    const isOuter = node.parent?.kind === kinds.VariableStatement && node.parent.parent === body;
    if (node.kind === kinds.VariableDeclarationList && !isOuter && isVar(node)) bound(node, kinds, names);
    return !isFunction(node, kinds);
  });
}

function isVariable({ parent }: SyntaxNode, kinds: Kinds) {
  return parent?.kind === kinds.VariableDeclaration || parent?.kind === kinds.BindingElement;
}

/**
 * Whether the value of a variable has objects that the program makes. In JavaScript they can get further members, which
 * their types do not show.
 */
function makesObjects(name: SyntaxNode, kinds: Kinds) {
  let declaration: SyntaxNode | undefined = name;
  while (declaration !== undefined && declaration.kind !== kinds.VariableDeclaration) declaration = declaration.parent;
  let isFound = false;
  if (declaration?.initializer === undefined) return false;
  each(declaration, (node) => {
    // The input of a tool is another object.
    const isInput = node.parent?.kind === kinds.CallExpression && node.parent.expression !== node;
    if (node.kind === kinds.ObjectLiteralExpression && !isInput) isFound = true;
    return !isFound;
  });
  return isFound;
}

export function isFunction({ kind }: SyntaxNode, kinds: Kinds) {
  return (
    kind === kinds.ArrowFunction ||
    kind === kinds.FunctionExpression ||
    kind === kinds.FunctionDeclaration ||
    kind === kinds.MethodDeclaration ||
    kind === kinds.Constructor ||
    kind === kinds.GetAccessor ||
    kind === kinds.SetAccessor
  );
}

/** Flags of `let`, `const`, `using` and `await using`. */
const BLOCK_SCOPED = 7;

function isVar({ flags }: SyntaxNode) {
  return (flags & BLOCK_SCOPED) === 0;
}

export function nameUses({ root, kinds }: Tree): NameUses {
  const uses: NameUses = { probed: new Set(), assigned: new Set(), tested: new Set(), testedVariables: new Set() };
  each(root, (node) => {
    switch (node.kind) {
      case kinds.MethodDeclaration:
      case kinds.PropertyDeclaration:
      case kinds.GetAccessor:
        // A class may use what only its subclasses have.
        if (node.parent?.kind !== kinds.ObjectLiteralExpression) uses.assigned.add(textOf(node.name));
        break;
      case kinds.TypeOfExpression:
        if (node.expression.kind === kinds.Identifier) uses.probed.add(textOf(node.expression));
        addTested(node.expression, kinds, uses);
        break;
      case kinds.BinaryExpression:
        ofBinary(node, kinds, uses);
        break;
      case kinds.PrefixUnaryExpression:
        if (node.operator === kinds.ExclamationToken) addTested(node.operand, kinds, uses);
        else addMembers(node.operand, kinds, uses.assigned);
        break;
      case kinds.PostfixUnaryExpression:
        addMembers(node.operand, kinds, uses.assigned);
        break;
      case kinds.DeleteExpression:
        addMembers(node.expression, kinds, uses.assigned);
        break;
      case kinds.ConditionalExpression:
        addTested(node.condition, kinds, uses);
        break;
      case kinds.IfStatement:
      case kinds.WhileStatement:
        addTested(node.expression, kinds, uses);
        break;
      case kinds.PropertyAccessExpression:
      case kinds.ElementAccessExpression:
        if (node.questionDotToken !== undefined) addTested(node.expression, kinds, uses);
        break;
      case kinds.CallExpression:
        if (node.questionDotToken !== undefined) addTested(node.expression, kinds, uses);
        ofCall(node, kinds, uses);
        break;
    }
    return true;
  });
  return uses;
}

function ofBinary({ left, operatorToken, right }: SyntaxNode, kinds: Kinds, uses: NameUses) {
  const { assigned, tested } = uses;
  const isOneOf = (names: string[]) => names.some((name) => operatorToken.kind === kinds[name]);
  if (isOneOf(ASSIGNMENTS)) {
    addMembers(left, kinds, assigned);
    // Patterns contain what they assign to.
    if (left.kind === kinds.ArrayLiteralExpression || left.kind === kinds.ObjectLiteralExpression) {
      each(left, (part) => {
        addMembers(part, kinds, assigned);
        return true;
      });
    }
  } else if (isOneOf(LOGICAL)) {
    addTested(left, kinds, uses);
    addTested(right, kinds, uses);
  } else if (isOneOf(COMPARISONS) && [left, right].some((side) => isNothing(side, kinds))) {
    addTested(left, kinds, uses);
    addTested(right, kinds, uses);
  } else if (operatorToken.kind === kinds.InKeyword && isString(left, kinds)) {
    tested.add(left.text);
  }
}

function ofCall({ expression, arguments: given }: SyntaxNode, kinds: Kinds, { assigned, tested }: NameUses) {
  if (expression.kind !== kinds.PropertyAccessExpression) return;
  const method = textOf(expression.name);
  if (ASKING.includes(method)) for (const value of given) if (isString(value, kinds)) tested.add(value.text);
  if (!GIVING.includes(method) || textOf(expression.expression) !== 'Object') return;
  for (const value of given) {
    if (isString(value, kinds)) assigned.add(value.text);
    if (value.kind === kinds.ObjectLiteralExpression) {
      for (const { name } of value.properties) if (name !== undefined) assigned.add(textOf(name));
    }
  }
}

/** Adds the member or the variable that an expression reads. */
function addTested(expression: SyntaxNode, kinds: Kinds, { tested, testedVariables }: NameUses) {
  const node = within(expression, kinds);
  if (node.kind === kinds.Identifier) testedVariables.add(textOf(node));
  else addMembers(node, kinds, tested);
}

/** Adds the name of the member that an expression reads. */
function addMembers(expression: SyntaxNode, kinds: Kinds, names: Set<string>) {
  const node = within(expression, kinds);
  if (node.kind === kinds.PropertyAccessExpression) names.add(textOf(node.name));
  if (node.kind === kinds.ElementAccessExpression && isString(node.argumentExpression, kinds)) {
    names.add(node.argumentExpression.text);
  }
}

/** The expression in parentheses and in assertions of types. */
function within(expression: SyntaxNode, kinds: Kinds): SyntaxNode {
  let node = expression;
  while (
    node.kind === kinds.ParenthesizedExpression ||
    node.kind === kinds.NonNullExpression ||
    node.kind === kinds.AsExpression
  ) {
    node = node.expression;
  }
  return node;
}

function isNothing(node: SyntaxNode, kinds: Kinds) {
  return node.kind === kinds.NullKeyword || (node.kind === kinds.Identifier && textOf(node) === 'undefined');
}

function isString(node: SyntaxNode | undefined, kinds: Kinds) {
  return node?.kind === kinds.StringLiteral || node?.kind === kinds.NoSubstitutionTemplateLiteral;
}

/** The text of a name: an identifier, a string or a number. Empty for computed names. */
export function textOf(name: SyntaxNode | undefined): string {
  return typeof name?.text === 'string' ? name.text : '';
}

/** The innermost node at an offset. */
export function nodeAt(root: SyntaxNode, at: number, end: number): SyntaxNode {
  let found = root;
  for (let next: SyntaxNode | undefined = root; next !== undefined;) {
    found = next;
    next = undefined;
    found.forEachChild((child) => {
      if (next === undefined && child.pos <= at && at < child.end && end <= child.end) next = child;
    });
  }
  return found;
}

/**
 * Visits nodes, without recursion: programs may nest deeply.
 *
 * @param visit returns whether to visit the children of a node
 */
export function each(root: SyntaxNode, visit: (node: SyntaxNode) => boolean) {
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node === root || visit(node)) node.forEachChild((child) => void pending.push(child));
  }
}
