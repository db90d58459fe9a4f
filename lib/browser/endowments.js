// @ts-check
'use strict';

const { ToolRegistry, refuseReservedName } = require('../contract/tool-registry');
const { decode } = require('./values');

/** Names that a page does not give up, and those of its own functions. */
const RESERVED = new Set(['window', 'document', 'location', 'top', 'getCanvas', 'saveArtifact', 'final_answer']);

/** What an executor was sent: its pages are told of it before they run code. */
class Endowments {
  #tools = new ToolRegistry();
  /** What pages are told of the tools. @type {Map<string, any[]>} by top-level name */
  #specs = new Map();
  /** Names of tools that give promises, or gave one. @type {Set<string>} */
  #asynchronous = new Set();
  /** Variables as they cross, those of each call together. @type {{ names: string[], values: string }[]} */
  #variables = [];
  /** Tools as they were sent, those of each call together. @type {{ names: string[], tools: import('../../index').Tools }[]} */
  #sent = [];
  /** What the page of the session has not been told. @type {{ tools: Set<string>, variables: number }} */
  #untold = { tools: new Set(), variables: 0 };

  /** @param {number} id */
  get(id) {
    return this.#tools.get(id);
  }

  /**
   * @param {string[]} names
   * @param {string} values as they cross, in the order of the names
   */
  takeVariables(names, values) {
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

  /**
   * @param {import('../contract/tool-registry').Tool[]} flat
   * @param {import('../../index').Tools} tools the same, as it was sent
   */
  takeTools(flat, tools) {
    const { specs, commit } = this.#tools.stage(flat);
    commit();
    /** @type {Map<string, any[]>} */
    const fresh = new Map();
    for (const spec of specs) fresh.set(spec.path[0], [...(fresh.get(spec.path[0]) ?? []), spec]);
    for (const { path, isAsync } of specs) if (isAsync) this.notePromise(path);
    for (const [name, ofName] of fresh) {
      this.#specs.set(name, ofName);
      this.#untold.tools.add(name);
    }
    const names = [...fresh.keys()];
    this.#sent = [...seenBeside(this.#sent, names), { names, tools }];
  }

  /** @param {string[]} path of a tool that gives promises */
  notePromise(path) {
    this.#asynchronous.add(path.join('.'));
  }

  /** Names of tools that give promises and stand in a line of code. @param {string} line */
  asynchronousIn(line) {
    return [...this.#asynchronous].filter((name) => line.includes(name));
  }

  /**
   * What a page is told.
   *
   * @param {boolean} isLasting whether it has been told before, and will be again
   */
  forPage(isLasting) {
    const names = isLasting ? [...this.#untold.tools] : [...this.#specs.keys()];
    const variables = isLasting ? this.#variables.slice(this.#untold.variables) : this.#variables;
    this.#untold = { tools: new Set(), variables: this.#variables.length };
    return { tools: names.flatMap((name) => this.#specs.get(name) ?? []), variables };
  }

  /** The next page knows nothing. */
  forgetPage() {
    this.#untold = { tools: new Set(this.#specs.keys()), variables: 0 };
  }

  /**
   * Sends it all to another executor.
   *
   * @param {import('../../index').Executor} executor
   */
  async sendTo(executor) {
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

/**
 * Calls of which something is seen when these names are given anew.
 *
 * @template {{ names: string[] }} C
 * @param {C[]} calls
 * @param {string[]} names
 */
function seenBeside(calls, names) {
  const given = new Set(names);
  return calls.filter((call) => !call.names.every((name) => given.has(name)));
}

/**
 * @param {string} name
 * @param {string} root
 */
function refuseName(name, root) {
  if (RESERVED.has(name)) throw new TypeError(`${root}.${name} must have another name: \`${name}\` is the page's own`);
  refuseReservedName(name, root);
}

module.exports = { Endowments, refuseName };
