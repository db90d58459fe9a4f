import {
  CallableTool,
  declaredFunction,
  isDefinition,
  refuseSameNames,
  refuseUncallable,
} from '../code-tool/definition';
import { hostTools } from '../code-tool/host-tools';
import { languageText } from '../code-tool/language';
import { ToolCatalog } from '../code-tool/tool-catalog';
import { PROGRESS } from './progress';
import { withoutSameNames } from './same-names';
import { isBindable, isBuiltIn } from '../../contract/identifiers';
import { byIdentifier, toolIdentifier } from '../../contract/tool-names';
import { flattenTools } from '../../contract/tool-registry';
import type { Foreign } from '../../contract/foreign';
import type { Tools } from '../../contract/tool-types';
import type { CodeToolDefinition } from '../code-tool/types';
import type { LanguageText } from '../code-tool/language';
import type { RunPlan } from '../code-tool/planner';
import type { Progress } from './progress';

/**
 * The callables of code: functions, namespaces of functions, and tools with schemas whose names may have a namespace.
 */
export class Toolset {
  #functions: Tools = {};
  #exported: CallableTool[] = [];
  /** The tools of namespaces. Their names are adapted to the language. */
  #named: CallableTool[] = [];
  /** All tools with schemas, by the language of the code. */
  #callable: Map<LanguageText, CallableTool[]> = new Map();
  /** The source of each callable, by name. */
  #sources: Map<string, string> = new Map();

  /** The declarations of all tools, or an index. See {@link ToolCatalog}. */
  catalogIn(language: LanguageText, { maxChars, taken }: { maxChars: number; taken?: readonly string[] }) {
    const functions = flattenTools(this.#functions).map((it) => {
      const name = it.path.join('.');
      return { name, declared: () => declaredFunction(name, it) };
    });
    return new ToolCatalog([...functions, ...this.#callableIn(language)], { language, maxChars, taken });
  }

  /** The keys from the global to each tool. */
  pathsIn(language: LanguageText): string[][] {
    const functions = flattenTools(this.#functions).map(({ path }) => path);
    return [...functions, ...this.#callableIn(language).map(({ name }) => name.split('.'))];
  }

  /** The names by which code reaches the tools. */
  get names(): string[] {
    return [...this.#sources.keys()];
  }

  get isEmpty() {
    return this.#sources.size === 0;
  }

  addFunctions(source: string, functions: Tools) {
    for (const name of Object.keys(functions)) this.#claim(name, source);
    Object.assign(this.#functions, functions);
  }

  /** Adds the exports of a module: functions, namespaces, and tools with schemas. Their names become identifiers. */
  addExported(source: string, exported: Record<string, Foreign>) {
    const entries = Object.entries(byIdentifier(exported, writable));
    this.addFunctions(source, Object.fromEntries(entries.filter(([, value]) => !isDefinition(value))));
    for (const [name, value] of entries.filter(([, value]) => isDefinition(value))) {
      this.#claim(name, source);
      this.#exported.push(new CallableTool(name, value));
    }
  }

  /** @param definitions definitions by identifier */
  addNamespace(source: string, namespace: string, definitions: Record<string, CodeToolDefinition>) {
    this.#claim(namespace, source);
    for (const [name, definition] of Object.entries(definitions)) {
      this.#named.push(new CallableTool(`${namespace}.${name}`, definition));
    }
  }

  /**
   * Creates the functions of one run, and the function to call when the run has ended.
   *
   * @param signal the caller's signal
   * @param progress where servers report progress
   * @param plan which approval requests carry
   */
  forRun(
    signal: AbortSignal | undefined,
    language: LanguageText = languageText(),
    progress?: Progress,
    plan?: RunPlan,
  ) {
    const context = progress && { [PROGRESS]: progress };
    const { tools, end } = hostTools(this.#callableIn(language), { signal, language, context, plan });
    return { tools: { ...this.#functions, ...tools }, end };
  }

  #callableIn(language: LanguageText) {
    const known = this.#callable.get(language);
    if (known !== undefined) return known;
    const named = withoutSameNames(this.#named.map((it) => [it.name, it.in(language)]));
    const callable = [...this.#exported, ...named];
    refuseSameNames(callable);
    this.#callable.set(language, callable);
    return callable;
  }

  #claim(name: string, source: string) {
    const other = this.#sources.get(name);
    if (other !== undefined) throw new TypeError(`${other} and ${source} both have ${name}`);
    refuseUncallable([name]);
    this.#sources.set(name, source);
  }
}

/** Returns a name unchanged if code can write it, as it can `double`. Otherwise converts it to an identifier. */
function writable(name: string) {
  return isBindable(name) && !isBuiltIn(name) ? name : toolIdentifier(name);
}
