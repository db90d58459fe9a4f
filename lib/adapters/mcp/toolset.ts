import {
  CallableTool,
  functionDeclaration,
  isDefinition,
  refuseSameNames,
  refuseUncallable,
} from '../code-tool/definition';
import { hostTools } from '../code-tool/host-tools';
import { languageText } from '../code-tool/language';
import { isBindable } from '../../contract/identifiers';
import { byIdentifier, toolIdentifier } from '../../contract/tool-names';
import { flattenTools } from '../../contract/tool-registry';
import type { Tools } from '../../../index';
import type { CodeToolDefinition } from '../code-tool/api';
import type { LanguageText } from '../code-tool/language';

/** What code can call: functions and namespaces of such, and tools with schemas whose names may have a namespace. */
export class Toolset {
  #functions: Tools = {};
  #exported: CallableTool[] = [];
  /** Those of namespaces, whose names are changed as the language wants. */
  #named: CallableTool[] = [];
  /** Both, by the language of the code. */
  #callable: Map<LanguageText, CallableTool[]> = new Map();
  /** By name of what code calls: who gave it. */
  #givers: Map<string, string> = new Map();

  declarationsIn(language: LanguageText) {
    const functions = flattenTools(this.#functions).map((it) => functionDeclaration(it.path.join('.'), it, language));
    return [...functions, ...this.#callableIn(language).map((it) => it.declaration(language))].join('\n\n');
  }

  get isEmpty() {
    return this.#givers.size === 0;
  }

  addFunctions(giver: string, functions: Tools) {
    for (const name of Object.keys(functions)) this.#claim(name, giver);
    Object.assign(this.#functions, functions);
  }

  /**
   * Tools as a module exports them: functions, namespaces, and tools with schemas. What code calls them by are identifiers.
   */
  addExported(giver: string, exported: Record<string, any>) {
    const entries = Object.entries(byIdentifier(exported, writable));
    this.addFunctions(giver, Object.fromEntries(entries.filter(([, value]) => !isDefinition(value))));
    for (const [name, value] of entries.filter(([, value]) => isDefinition(value))) {
      this.#claim(name, giver);
      this.#exported.push(new CallableTool(name, value));
    }
  }

  /** @param definitions by identifier */
  addNamespace(giver: string, namespace: string, definitions: Record<string, CodeToolDefinition>) {
    this.#claim(namespace, giver);
    for (const [name, definition] of Object.entries(definitions)) {
      this.#named.push(new CallableTool(`${namespace}.${name}`, definition));
    }
  }

  /**
   * The functions of one run, and what has to be called when it has ended.
   *
   * @param signal of the caller
   */
  forRun(signal: AbortSignal | undefined, language: LanguageText = languageText()) {
    const { tools, end } = hostTools(this.#callableIn(language), { signal, language });
    return { tools: { ...this.#functions, ...tools }, end };
  }

  #callableIn(language: LanguageText) {
    const known = this.#callable.get(language);
    if (known !== undefined) return known;
    const callable = [...this.#exported, ...this.#named.map((it) => it.in(language))];
    refuseSameNames(callable);
    this.#callable.set(language, callable);
    return callable;
  }

  #claim(name: string, giver: string) {
    const other = this.#givers.get(name);
    if (other !== undefined) throw new TypeError(`${other} and ${giver} both have ${name}`);
    refuseUncallable([name]);
    this.#givers.set(name, giver);
  }
}

/** A name as it is if code can write it, as it can `double`, else an identifier. */
function writable(name: string) {
  return isBindable(name) ? name : toolIdentifier(name);
}
