import { describe } from '../../contract/describe';
import { isNamespace } from '../../contract/tool-registry';
import { checkAnyLanguage, record } from '../../contract/options';
import { anyPlan } from '../../contract/plan';
import { byIdentifier } from '../../contract/tool-names';
import { prepareOptions } from '../../ses/check';
import { planNow } from '../../ses/plan';
import { byName, isDefinition } from './definition';
import { languageText } from './language';
import type { Language } from '../../contract/executor-options';
import type { Plan } from '../../contract/plan';
import type { Tools } from '../../contract/tool-types';
import type { LanguageText } from './language';

/** Options of {@link planOf}. */
export interface PlanOptions {
  /**
   * The tools that the program can call, as `createCodeTool` takes them: by name, or a list of named tools. Only their
   * names matter. Names that are not identifiers are changed as in code.
   */
  tools: Readonly<Record<string, unknown>> | readonly ({ readonly name: string } | { readonly id: string })[];
  /**
   * The programs that the session has run before. `[]` for a new isolate: a code tool without `executor` creates one
   * for each call. Default: unknown. In this case a program that uses any name besides its own and those of tools, such
   * as `Promise`, may call every tool, because an earlier program may have defined that name.
   */
  earlier?: readonly string[] | undefined;
  /**
   * The language of the program. Default `"auto"`. A program in Python may call every tool: the program is not read.
   */
  language?: Language | 'python' | undefined;
  /** As the option of executors. A longer program is not read. */
  maxCodeBytes?: number | undefined;
}

const OPTIONS = ['tools', 'earlier', 'language', 'maxCodeBytes'];

/**
 * Finds out which tools a program can call, without running it. See {@link planOf}.
 *
 * @throws {TypeError | RangeError}
 */
export function planProgram(code: string, options: unknown): Plan {
  if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
  const { tools, earlier, language, ...others } = record(options, 'options', OPTIONS);
  checkAnyLanguage(language);
  checkEarlier(earlier);
  const paths = pathsOf(tools, languageText(language));
  if (language === 'python') return anyPlan(namesOf(paths), 'other_language');
  return planNow(code, { tools: paths, earlier }, prepareOptions({ language, ...others }));
}

/** @throws {TypeError} */
function checkEarlier(earlier: unknown) {
  if (earlier === undefined) return;
  if (Array.isArray(earlier) && earlier.every((code) => typeof code === 'string')) return;
  throw new TypeError(`options.earlier must be an array of strings, got ${describe(earlier)}`);
}

/** The keys from the global to each tool. */
function pathsOf(tools: unknown, language: LanguageText): string[][] {
  const named = Object.entries(byIdentifier(byName(tools), language.identifier));
  return named.flatMap(([name, tool]) => {
    const isOne = typeof tool === 'function' || isDefinition(tool) || !isNamespace(tool);
    return isOne ? [[name]] : membersOf(tool as Tools, [name], language);
  });
}

function membersOf(namespace: Tools, path: string[], language: LanguageText): string[][] {
  return Object.entries(namespace).flatMap(([key, value]) => {
    const inner = [...path, language.memberIdentifier(key)];
    return typeof value === 'function' ? [inner] : membersOf(value, inner, language);
  });
}

/** The names of tools as plans and the bridge have them. */
export function namesOf(paths: readonly string[][]): string[] {
  return paths.map((path) => path.join('.'));
}
