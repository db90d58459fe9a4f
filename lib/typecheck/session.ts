import { BLANK, CONFIG_FILE, HOST_FILE, PROGRAM_FILES, VARIABLES_FILE } from './compiler';
import { sharedChecker } from './checker';
import { declarations, isDeclarable } from './declarations';
import { moduleFiles } from './module-files';
import { Names } from './names';
import { isBindable } from '../contract/identifiers';
import type { Language, Modules } from '../contract/executor-options';
import type { Tool } from '../contract/tool-registry';
import type { Checker, ProjectContent } from './checker';
import type { HostValue } from './declarations';
import type { Finding } from './judge';
import type { Run, Uses } from './names';
import type { FileLanguage } from './protocol';
import type { ProgramFacts } from './syntax';

/** The outcome of a check. Offsets are those in the program. */
export type Checked =
  | { findings: Finding[]; program: CheckedProgram }
  /** Why the program was not checked. */
  | { skipped: string };

/** A program that was checked and that may run. */
export interface CheckedProgram {
  source: string;
  language: FileLanguage | undefined;
  uses: Uses;
  facts: Promise<ProgramFacts | undefined>;
}

const LANGUAGES: Record<Language, FileLanguage[]> = {
  auto: ['js', 'ts'],
  javascript: ['js'],
  typescript: ['ts'],
};
const OPTIONS = {
  target: 'esnext',
  lib: ['esnext'],
  module: 'esnext',
  moduleResolution: 'bundler',
  moduleDetection: 'force',
  types: [],
  allowJs: true,
  checkJs: true,
  noEmit: true,
  skipLibCheck: true,
  // Programs fill what is empty before they use it, which the checker cannot always see.
  strict: false,
};
/**
 * The function that contains the program, so that `await` and `return` are allowed. Programs cannot use this prefix.
 */
const OPENING = 'async function __smol_program() {\n';
const CLOSING = '\n}';
/** Longer programs are not checked. */
const MAX_CHARS = 64 << 10;
/** Names of members that are kept. */
const MAX_MEMBERS = 10_000;
const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;

/** Runs of sessions that are no longer used. */
const abandoned: FinalizationRegistry<{ files: string[]; checker: Checker }> = new FinalizationRegistry(
  ({ files, checker }) => checker.forget(files),
);

/** What the checker has to know about the guests of one executor. */
export class TypeSession {
  #checker: Checker;
  #modules;
  #globals;
  #hostValues: Map<string, HostValue> = new Map();
  #project: ProjectContent | undefined;
  /** Grows when host values change. */
  #revision = 0;
  #names = new Names();
  /** Names of members that runs have given to objects. */
  #members: Set<string> = new Set();
  /** Whether guests may have names that are not known here. */
  #isIncomplete = false;
  /** Grows when the isolate ends. */
  #epoch = 0;
  /** Runs and host values that are being added, which the next check waits for. */
  #adding: Promise<unknown> = Promise.resolve();

  /** @throws {Error} if TypeScript is not installed */
  constructor(
    modules: Modules = {},
    imports: readonly string[] = [],
    language: Language = 'auto',
    globals: readonly string[] = [],
  ) {
    this.#globals = globals;
    this.#checker = sharedChecker();
    this.#modules = moduleFiles(modules, imports, language);
    abandoned.register(this, { files: this.#names.files, checker: this.#checker });
  }

  /** Runs that were added before may have declared the same names, and later ones may use the tools. */
  setTools(tools: readonly Tool[]) {
    this.#afterRuns(() => this.#setTools(tools));
  }

  /** Tools that guests have already. A name that a run has declared again is not the tool any more. */
  redefineTools(tools: readonly Tool[]) {
    this.#afterRuns(() => this.#setTools(tools.filter(({ path: [name] }) => !this.#names.has(name))));
  }

  /** @param types of variables by their names */
  setVariables(types: ReadonlyMap<string, string>) {
    this.#afterRuns(() => {
      for (const [name, type] of types) this.#setHostValue(name, type);
    });
  }

  /** The isolate is a new one. */
  reset() {
    this.#hostValues.clear();
    this.#forgetProject();
    this.#checker.forget(this.#names.clear());
    this.#members.clear();
    this.#isIncomplete = false;
    this.#epoch++;
  }

  #setTools(tools: readonly Tool[]) {
    const byName: Map<string, Tool[]> = new Map();
    for (const tool of tools) {
      const own = byName.get(tool.path[0]);
      if (own === undefined) byName.set(tool.path[0], [tool]);
      else own.push(tool);
    }
    for (const [name, own] of byName) this.#setHostValue(name, own);
  }

  /** @param isKept whether later programs can use what this one declares */
  async check(source: string, language: Language, isKept: boolean = true): Promise<Checked> {
    await this.#adding;
    if (source.length > MAX_CHARS) return { skipped: `the program has more than ${MAX_CHARS} characters` };
    const project = this.#project ?? (await this.#declared());
    const words = new Set(source.match(WORD));
    const uses = this.#names.usedBy(words, this.#undeclarable(words));
    const prefix = `${uses.prefix}${OPENING}`;
    const outcome = await this.#checker.check({
      project,
      runs: [...uses.needs.runs],
      variables: uses.variables,
      text: `${prefix}${source}${CLOSING}`,
      languages: LANGUAGES[language],
      isKept,
    });
    if ('skipped' in outcome) return outcome;
    const findings = outcome.findings
      .map((finding) => ({ ...finding, at: finding.at - prefix.length, text: this.#named(finding.text) }))
      .filter((finding) => finding.at >= 0 && finding.at <= source.length && !this.#isExplained(finding));
    return { findings, program: { source, language: outcome.language, uses, facts: outcome.facts } };
  }

  /** A program begins to run. Later programs see what it declares. */
  add(program: CheckedProgram): Promise<Run | undefined> {
    const epoch = this.#epoch;
    const adding = this.#adding.then(() => this.#add(program, epoch));
    this.#adding = adding;
    return adding;
  }

  /** A program that was not checked begins to run. */
  addUnknown() {
    this.#isIncomplete = true;
  }

  /** A run has failed. */
  fail(adding: Promise<Run | undefined>) {
    this.#afterwards(adding, (run) => this.#names.fail(run));
  }

  /** A program was not run after all. */
  remove(adding: Promise<Run | undefined>) {
    this.#afterwards(adding, (run) => this.#names.remove(run));
  }

  /** @param change dropped if the isolate ends first */
  #afterRuns(change: () => void) {
    const epoch = this.#epoch;
    this.#adding = this.#adding.then(() => {
      if (epoch === this.#epoch) change();
    });
  }

  #afterwards(adding: Promise<Run | undefined>, change: (run: Run) => void) {
    this.#adding = this.#adding.then(async () => {
      const run = await adding;
      if (run !== undefined) change(run);
    });
  }

  async #add(program: CheckedProgram, epoch: number): Promise<Run | undefined> {
    const { source, language, uses } = program;
    const facts = await program.facts;
    if (epoch !== this.#epoch) return undefined;
    if (facts === undefined || language === undefined) {
      this.addUnknown();
      return undefined;
    }
    for (const name of facts.assigns) if (this.#members.size < MAX_MEMBERS) this.#members.add(name);
    const isOfHost = (name: string) => this.#hostValues.has(name);
    const { run, dropped } = this.#names.add({ source, language, uses }, facts.declares, isOfHost);
    this.#checker.forget(dropped);
    if (this.#names.isFull) this.addUnknown();
    return run;
  }

  #setHostValue(name: string, value: HostValue) {
    this.#hostValues.set(name, value);
    this.#names.delete(name);
    this.#forgetProject();
  }

  #forgetProject() {
    this.#project = undefined;
    this.#revision++;
  }

  /** The project with all host values, also those that are set while it is made. */
  async #declared(): Promise<ProjectContent> {
    for (;;) {
      const revision = this.#revision;
      const made = await this.#projectNow();
      if (revision === this.#revision) return (this.#project = made);
    }
  }

  async #projectNow(): Promise<ProjectContent> {
    const { files, paths, ambient } = this.#modules;
    const config = {
      compilerOptions: { ...OPTIONS, paths },
      files: [HOST_FILE, PROGRAM_FILES.js, PROGRAM_FILES.ts],
    };
    return [
      [CONFIG_FILE, JSON.stringify(config)],
      [HOST_FILE, `${await declarations(this.#hostValues, this.#globals)}\n${ambient}`],
      [VARIABLES_FILE, BLANK],
      [PROGRAM_FILES.js, BLANK],
      [PROGRAM_FILES.ts, BLANK],
      ...files,
    ];
  }

  /** A message without the names of files. */
  #named(text: string) {
    return text
      .replace(/import\("[^"]*\/(m\d+)"\)/g, (_, file) => `import(${JSON.stringify(this.#modules.names.get(file))})`)
      .replace(/(?:typeof )?import\("\/[^"]*"\)\./g, '');
  }

  /** Names of the host that the checker cannot declare. */
  #undeclarable(words: ReadonlySet<string>) {
    return [...words].filter(
      (name) => this.#hostValues.has(name) && !this.#names.has(name) && !isDeclarable(name) && isBindable(name),
    );
  }

  /** Whether something that the check does not know may be what it misses. */
  #isExplained({ name }: Finding) {
    if (name === undefined) return false;
    const isVariable = name.kind === 'variable' && (this.#isIncomplete || this.#hostValues.has(name.text));
    return isVariable || this.#members.has(name.text);
  }
}
