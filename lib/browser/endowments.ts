import { refuseUnwritableNames } from '../contract/tool-names';
import { ToolRegistry, refuseReservedName } from '../contract/tool-registry';
import { decode } from './values';
import type { NativeTool } from '../../native';
import type { Executor } from '../contract/executor-types';
import type { Tools } from '../contract/tool-types';
import type { Tool } from '../contract/tool-registry';

/** Names that a page cannot redefine, and the names of the page's functions. */
const RESERVED = new Set(['window', 'document', 'location', 'top', 'getCanvas', 'saveArtifact', 'final_answer']);

/** The variables and tools that an executor was sent. Its pages receive them before they run code. */
export class Endowments {
  #tools = new ToolRegistry();
  /** Descriptions of the tools for pages, by top-level name. */
  #specs: Map<string, NativeTool[]> = new Map();
  /** Names of tools that return promises, or have returned one. */
  #asynchronous: Set<string> = new Set();
  /** Variables as serialized strings, grouped by call. */
  #variables: { names: string[]; values: string }[] = [];
  /** Tools as they were sent, grouped by call. */
  #sent: { names: string[]; tools: Tools }[] = [];
  /** The parts that the page of the session has not received. */
  #unsent: { tools: Set<string>; variables: number } = { tools: new Set(), variables: 0 };

  get(id: number) {
    return this.#tools.get(id);
  }

  /** @param values serialized, in the order of the names */
  takeVariables(names: string[], values: string) {
    if (names.length === 0) return;
    // A call is forgotten when none of its variables is visible any more.
    this.#unsent.variables = stillVisible(this.#variables.slice(0, this.#unsent.variables), names).length;
    this.#variables = [...stillVisible(this.#variables, names), { names, values }];
    this.#sent = stillVisible(this.#sent, names);
    for (const name of names) {
      this.#specs.delete(name);
      this.#unsent.tools.delete(name);
    }
  }

  /** @param tools the same tools, as they were sent */
  takeTools(flat: Tool[], tools: Tools) {
    const { specs, commit } = this.#tools.stage(flat);
    commit();
    const fresh: Map<string, NativeTool[]> = new Map();
    for (const spec of specs) fresh.set(spec.path[0], [...(fresh.get(spec.path[0]) ?? []), spec]);
    for (const { path, isAsync } of specs) if (isAsync) this.notePromise(path);
    for (const [name, ofName] of fresh) {
      this.#specs.set(name, ofName);
      this.#unsent.tools.add(name);
    }
    const names = [...fresh.keys()];
    this.#sent = [...stillVisible(this.#sent, names), { names, tools }];
  }

  /** @param path of a tool that returns promises */
  notePromise(path: string[]) {
    this.#asynchronous.add(path.join('.'));
  }

  /** Names of tools that return promises and occur in a line of code. */
  asynchronousIn(line: string) {
    return [...this.#asynchronous].filter((name) => line.includes(name));
  }

  /**
   * The data for a page.
   * @param isLasting whether the page has received earlier data, and will receive more
   */
  forPage(isLasting: boolean) {
    const names = isLasting ? [...this.#unsent.tools] : [...this.#specs.keys()];
    const variables = isLasting ? this.#variables.slice(this.#unsent.variables) : this.#variables;
    this.#unsent = { tools: new Set(), variables: this.#variables.length };
    return { tools: names.flatMap((name) => this.#specs.get(name) ?? []), variables };
  }

  /** The next page has received nothing. */
  forgetPage() {
    this.#unsent = { tools: new Set(this.#specs.keys()), variables: 0 };
  }

  /** Sends all variables and tools to another executor. */
  async sendTo(executor: Executor) {
    for (const { names, values } of this.#variables) {
      const decoded = await decode(values, { maxBytes: values.length, stackOf: (stack) => stack });
      await executor.sendVariables(Object.fromEntries(names.map((name, index) => [name, decoded[index]])));
    }
    for (const { tools } of this.#sent) await executor.sendTools(tools);
  }

  /** The state of earlier runs is lost, and with it the variables that they were given. */
  forgetVariables() {
    this.#variables = [];
    this.forgetPage();
  }

  clear() {
    this.#tools.clear();
    this.#specs.clear();
    this.#asynchronous.clear();
    this.#variables = [];
    this.#sent = [];
    this.forgetPage();
  }
}

/** The calls that still have a visible name after these names are set again. */
function stillVisible<C extends { names: string[] }>(calls: C[], names: string[]) {
  const given = new Set(names);
  return calls.filter((call) => !call.names.every((name) => given.has(name)));
}

export function refuseName(name: string, root: string) {
  if (RESERVED.has(name)) throw new TypeError(`${root}.${name} must have another name: \`${name}\` is the page's own`);
  refuseReservedName(name, root);
  refuseUnwritableNames([name], root);
}
