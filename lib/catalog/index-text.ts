import { singleLine } from './single-line';

/** A function as an index lists it. */
export interface IndexedFunction {
  /** Empty for a function without a namespace. */
  namespace: string;
  /** The name within the namespace. */
  name: string;
  description: string;
}

/** Characters of a name and of a description in an index. Functions with longer names are only counted. */
const MAX_NAME = 80;
const MAX_SUMMARY = 100;
/** Characters that a namespace gets before others get more. */
const MIN_NAMES = 40;

/**
 * An index of functions by namespace, of at most `maxChars` characters. It has a line for each function, if they fit,
 * otherwise a line for each namespace with as many names as fit. Descriptions of functions come from third parties:
 * line breaks in them become spaces, so that each entry stays on its line.
 */
export function indexText(functions: readonly IndexedFunction[], maxChars: number): string {
  const groups = groupsOf(functions);
  const full = [...groups].map(([namespace, members]) => listText(namespace, members)).join('\n\n');
  return full.length <= maxChars ? full : namesText(groups, maxChars);
}

/** The first sentence of a description, or the beginning of it, in one line. */
export function summaryOf(description: string): string {
  const line = singleLine(description.slice(0, 4 * MAX_SUMMARY), 4 * MAX_SUMMARY);
  const sentence = /^.*?[.!?。](?= |$)/u.exec(line)?.[0] ?? line;
  return sentence.length > MAX_SUMMARY ? `${sentence.slice(0, MAX_SUMMARY - 1)}…` : sentence;
}

/** Functions by namespace. Those without a namespace come first. */
function groupsOf(functions: readonly IndexedFunction[]) {
  const groups: Map<string, IndexedFunction[]> = new Map([['', []]]);
  for (const each of functions) {
    const group = groups.get(each.namespace);
    if (group === undefined) groups.set(each.namespace, [each]);
    else group.push(each);
  }
  if (groups.get('')?.length === 0) groups.delete('');
  return groups;
}

function listText(namespace: string, members: readonly IndexedFunction[]) {
  const lines = members.filter(isListed).map(({ name, description }) => {
    const summary = summaryOf(description);
    return `- ${pathOf(namespace, name)}${summary === '' ? '' : `: ${summary}`}`;
  });
  const left = members.length - lines.length;
  return [headOf(namespace, members), ...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n');
}

/** A line for each namespace. */
function namesText(groups: Map<string, IndexedFunction[]>, maxChars: number) {
  const all = [...groups].map(([namespace, members]) => ({ head: headOf(namespace, members), members }));
  const shown = [];
  let left = maxChars - MIN_NAMES;
  for (const group of all) {
    const reserved = group.head.length + MIN_NAMES;
    if (reserved > left) break;
    left -= reserved;
    shown.push({ ...group, chars: MIN_NAMES });
  }
  // Small namespaces are listed completely first. Larger ones share what is left.
  const bySize = shown.map((group) => ({ group, wanted: namesLength(group.members) }));
  bySize.sort((a, b) => a.wanted - b.wanted);
  bySize.forEach(({ group, wanted }, at) => {
    const more = Math.min(wanted - MIN_NAMES, Math.floor(left / (bySize.length - at)));
    if (more <= 0) return;
    group.chars += more;
    left -= more;
  });
  const lines = shown.map(({ head, members, chars }) => `${head}${namesWithin(members, chars)}`);
  const others = all.length - shown.length;
  if (others > 0) lines.push(`and ${others} more ${others === 1 ? 'namespace' : 'namespaces'}`);
  return lines.join('\n');
}

function headOf(namespace: string, { length }: { length: number }) {
  const count = `${length} ${length === 1 ? 'function' : 'functions'}`;
  return namespace === '' ? `${count}:` : `${singleLine(namespace, MAX_NAME)} (${count}):`;
}

function namesLength(members: readonly IndexedFunction[]) {
  return members.reduce((sum, { name }) => sum + Math.min(name.length, MAX_NAME) + ', '.length, 0) + MIN_NAMES;
}

/** Names after a colon, and how many are left out. */
function namesWithin(members: readonly IndexedFunction[], chars: number) {
  const names: string[] = [];
  let left = chars - ', and 10000 more'.length;
  for (const { name } of members.filter(isListed)) {
    left -= name.length + ', '.length;
    if (left < 0) break;
    names.push(name);
  }
  const others = members.length - names.length;
  if (names.length === 0) return '';
  return ` ${names.join(', ')}${others === 0 ? '' : `, and ${others} more`}`;
}

function isListed({ namespace, name }: IndexedFunction) {
  return namespace.length <= MAX_NAME && name.length <= MAX_NAME;
}

function pathOf(namespace: string, name: string) {
  return namespace === '' ? name : `${namespace}.${name}`;
}
