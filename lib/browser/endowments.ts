import { ToolRegistry, refuseReservedName } from '../contract/tool-registry';
import { decode } from './values';
import type { Executor, Tools } from '../../index';
import type { Tool } from '../contract/tool-registry';

/** Names that a page does not give up, and those of its own functions. */
const RESERVED = new Set(['window', 'document', 'location', 'top', 'getCanvas', 'saveArtifact', 'final_answer']);

/** What an executor was sent: its pages are told of it before they run code. */
export class Endowments {
  #tools = new ToolRegistry();
  /**
   * What pages are told of the tools.
   * by top-level name
   */
  #specs: Map<string, any[]> = new Map();
  /** Names of tools that give promises, or gave one. */
  #asynchronous: Set<string> = new Set();
  /** Variables as they cross, those of each call together. */
  #variables: { names: string[]; values: string }[] = [];
  /** Tools as they were sent, those of each call together. */
  #sent: { names: string[]; tools: Tools }[] = [];
  /** What the page of the session has not been told. */
  #untold: { tools: Set<string>; variables: number } = { tools: new Set(), variables: 0 };

  get(id: number) {
    return this.#tools.get(id);
  }

  /** @param values as they cross, in the order of the names */
  takeVariables(names: string[], values: string) {
    if (names.length === 0) return;
    // Those that nobody sees any more are forgotten, if it is all of a call's.
    this.#untold.variables = seenBeside(this.#variables.slice(0, this.#untold.variables), names).length;
    this.#variables = [...seenBeside(this.#variables, names), { names, values }];
    this.#sent = seenBeside(this.#sent, names);
    for (const name of names) {
      this.#specs.delete(name);
      this.#untold.tools.delete(name);
    }
  }

  /** @param tools the same, as it was sent */
  takeTools(flat: Tool[], tools: Tools) {
    const { specs, commit } = this.#tools.stage(flat);
    commit();
    const fresh: Map<string, any[]> = new Map();
    for (const spec of specs) fresh.set(spec.path[0], [...(fresh.get(spec.path[0]) ?? []), spec]);
    for (const { path, isAsync } of specs) if (isAsync) this.notePromise(path);
    for (const [name, ofName] of fresh) {
      this.#specs.set(name, ofName);
      this.#untold.tools.add(name);
    }
    const names = [...fresh.keys()];
    this.#sent = [...seenBeside(this.#sent, names), { names, tools }];
  }

  /** @param path of a tool that gives promises */
  notePromise(path: string[]) {
    this.#asynchronous.add(path.join('.'));
  }

  /** Names of tools that give promises and stand in a line of code. */
  asynchronousIn(line: string) {
    return [...this.#asynchronous].filter((name) => line.includes(name));
  }

  /**
   * What a page is told.
   *
   * @param isLasting whether it has been told before, and will be again
   */
  forPage(isLasting: boolean) {
    const names = isLasting ? [...this.#untold.tools] : [...this.#specs.keys()];
    const variables = isLasting ? this.#variables.slice(this.#untold.variables) : this.#variables;
    this.#untold = { tools: new Set(), variables: this.#variables.length };
    return { tools: names.flatMap((name) => this.#specs.get(name) ?? []), variables };
  }

  /** The next page knows nothing. */
  forgetPage() {
    this.#untold = { tools: new Set(this.#specs.keys()), variables: 0 };
  }

  /** Sends it all to another executor. */
  async sendTo(executor: Executor) {
    for (const { names, values } of this.#variables) {
      const decoded = await decode(values, { maxBytes: values.length, stackOf: (stack) => stack });
      await executor.sendVariables(Object.fromEntries(names.map((name, index) => [name, decoded[index]])));
    }
    for (const { tools } of this.#sent) await executor.sendTools(tools);
  }

  /** What runs have left is gone, and with it what they were given. */
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

/** Calls of which something is seen when these names are given anew. */
function seenBeside<C extends { names: string[] }>(calls: C[], names: string[]) {
  const given = new Set(names);
  return calls.filter((call) => !call.names.every((name) => given.has(name)));
}

export function refuseName(name: string, root: string) {
  if (RESERVED.has(name)) throw new TypeError(`${root}.${name} must have another name: \`${name}\` is the page's own`);
  refuseReservedName(name, root);
}
