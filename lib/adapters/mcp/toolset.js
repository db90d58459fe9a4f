// @ts-check
'use strict';

const {
  CallableTool,
  functionDeclaration,
  isDefinition,
  refuseSameNames,
  refuseUncallable,
} = require('../code-tool/definition');
const { hostTools } = require('../code-tool/host-tools');
const { languageText } = require('../code-tool/language');
const { isBindable } = require('../../contract/identifiers');
const { byIdentifier, toolIdentifier } = require('../../contract/tool-names');
const { flattenTools } = require('../../contract/tool-registry');

/**
 * @typedef {import('../../../index').Tools} Tools
 * @typedef {import('../code-tool').CodeToolDefinition} CodeToolDefinition
 * @typedef {import('../code-tool/language').LanguageText} LanguageText
 */

/** What code can call: functions and namespaces of such, and tools with schemas whose names may have a namespace. */
class Toolset {
  /** @type {Tools} */
  #functions = {};
  /** @type {CallableTool[]} */
  #exported = [];
  /** Those of namespaces, whose names are changed as the language wants. @type {CallableTool[]} */
  #named = [];
  /** Both, by the language of the code. @type {Map<LanguageText, CallableTool[]>} */
  #callable = new Map();
  /** By name of what code calls: who gave it. */
  /** @type {Map<string, string>} */
  #givers = new Map();

  /** @param {LanguageText} language */
  declarationsIn(language) {
    const functions = flattenTools(this.#functions).map((it) => functionDeclaration(it.path.join('.'), it, language));
    return [...functions, ...this.#callableIn(language).map((it) => it.declaration(language))].join('\n\n');
  }

  get isEmpty() {
    return this.#givers.size === 0;
  }

  /**
   * @param {string} giver
   * @param {Tools} functions
   */
  addFunctions(giver, functions) {
    for (const name of Object.keys(functions)) this.#claim(name, giver);
    Object.assign(this.#functions, functions);
  }

  /**
   * Tools as a module exports them: functions, namespaces, and tools with schemas. What code calls them by are identifiers.
   *
   * @param {string} giver
   * @param {Record<string, any>} exported
   */
  addExported(giver, exported) {
    const entries = Object.entries(byIdentifier(exported, writable));
    this.addFunctions(giver, Object.fromEntries(entries.filter(([, value]) => !isDefinition(value))));
    for (const [name, value] of entries.filter(([, value]) => isDefinition(value))) {
      this.#claim(name, giver);
      this.#exported.push(new CallableTool(name, value));
    }
  }

  /**
   * @param {string} giver
   * @param {string} namespace
   * @param {Record<string, CodeToolDefinition>} definitions by identifier
   */
  addNamespace(giver, namespace, definitions) {
    this.#claim(namespace, giver);
    for (const [name, definition] of Object.entries(definitions)) {
      this.#named.push(new CallableTool(`${namespace}.${name}`, definition));
    }
  }

  /**
   * The functions of one run, and what has to be called when it has ended.
   *
   * @param {AbortSignal | undefined} signal of the caller
   * @param {LanguageText} [language]
   */
  forRun(signal, language = languageText()) {
    const { tools, end } = hostTools(this.#callableIn(language), { signal, language });
    return { tools: { ...this.#functions, ...tools }, end };
  }

  /** @param {LanguageText} language */
  #callableIn(language) {
    const known = this.#callable.get(language);
    if (known !== undefined) return known;
    const callable = [...this.#exported, ...this.#named.map((it) => it.in(language))];
    refuseSameNames(callable);
    this.#callable.set(language, callable);
    return callable;
  }

  /**
   * @param {string} name
   * @param {string} giver
   */
  #claim(name, giver) {
    const other = this.#givers.get(name);
    if (other !== undefined) throw new TypeError(`${other} and ${giver} both have ${name}`);
    refuseUncallable([name]);
    this.#givers.set(name, giver);
  }
}

/**
 * A name as it is if code can write it, as it can `double`, else an identifier.
 *
 * @param {string} name
 */
function writable(name) {
  return isBindable(name) ? name : toolIdentifier(name);
}

module.exports = { Toolset };
