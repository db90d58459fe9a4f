import { BLANK, VARIABLES_FILE } from './compiler';
import type { EarlierRun } from './checker';
import type { FileLanguage } from './protocol';
import type { Declared } from './syntax';

/** What a name means that an earlier run has declared. */
type Meaning = Variable | SourceRun | typeof UNKNOWN;

/** A variable whose type is known as text. */
interface Variable {
  id: string;
  type: string;
}

/** A run whose text declares names that only their text describes: functions, classes, types, objects. */
interface SourceRun extends EarlierRun {
  chars: number;
  /** What its text needs: the runs that it imports, and those that they import. */
  needs: Needs;
}

interface Needs {
  runs: ReadonlySet<SourceRun>;
  /** Types by the ids of variables. */
  variables: ReadonlyMap<string, string>;
}

/** A run that has begun. */
export interface Run {
  declares: readonly Declared[];
  /** What its names meant before, for those that meant something. */
  replaced: Map<string, Meaning | typeof OF_HOST>;
}

/** A variable that may be anything. */
const UNKNOWN = 'unknown';
/** A tool or a variable of the host. */
const OF_HOST = 'host';
/** An expression that may be anything, in JavaScript and in TypeScript. */
const ANYTHING = "JSON.parse('')";
/** Runs whose texts are kept, and their length. What older ones declare may be anything. */
const MAX_RUNS = 200;
const MAX_RUN_CHARS = 1 << 20;
/** Runs whose texts a program may need. The compiler looks for all of these files. */
const MAX_NEEDED = 24;
const MAX_NAMES = 10_000;

let lastId = 0;

/** The names that the runs of one executor have declared. */
export class Names {
  #meanings: Map<string, Meaning> = new Map();
  #runs: SourceRun[] = [];
  #chars = 0;
  /** Files of runs whose texts are kept: a list that can outlive this object. */
  readonly files: string[] = [];

  /** Whether there are too many names to know all. */
  get isFull() {
    return this.#meanings.size > MAX_NAMES;
  }

  has(name: string) {
    return this.#meanings.has(name);
  }

  /** The host uses the name. */
  delete(name: string) {
    this.#meanings.delete(name);
  }

  clear() {
    this.#meanings.clear();
    this.#runs = [];
    this.#chars = 0;
    return this.files.splice(0);
  }

  /**
   * Declares the names that a program uses.
   *
   * @param words names that occur in the program
   * @param others names that may be anything
   */
  usedBy(words: ReadonlySet<string>, others: readonly string[]) {
    const uses: Map<string, Variable | SourceRun> = new Map();
    const unknown = [...others];
    for (const name of words) {
      const meaning = this.#meanings.get(name);
      if (meaning === UNKNOWN) unknown.push(name);
      else if (meaning !== undefined) uses.set(name, meaning);
    }
    return new Uses(uses, unknown);
  }

  /**
   * A program begins to run, which declares names.
   *
   * @param isOfHost whether a name is a tool or a variable of the host
   * @returns the run, and files that no check needs any more
   */
  add(
    { source, language, uses }: { source: string; language: FileLanguage; uses: Uses },
    declares: readonly Declared[],
    isOfHost: (name: string) => boolean,
  ): { run: Run; dropped: string[] } {
    const run: Run = { declares, replaced: new Map() };
    const own = declares.filter(({ type }) => type === undefined).map(({ name }) => name);
    const kept = own.length === 0 ? undefined : this.#keep(source, language, own, uses.without(declares));
    for (const { name, type } of declares) {
      const before = this.#meanings.get(name) ?? (isOfHost(name) ? OF_HOST : undefined);
      if (before !== undefined) run.replaced.set(name, before);
      this.#meanings.set(name, type === undefined ? (kept ?? UNKNOWN) : { id: `v${++lastId}`, type });
    }
    return { run, dropped: this.#dropOldRuns() };
  }

  /** A run has failed. Names that it declares again may have their old values, or the new ones. */
  fail({ replaced }: Run) {
    for (const name of replaced.keys()) if (this.#meanings.has(name)) this.#meanings.set(name, UNKNOWN);
  }

  /** A run has not begun after all. */
  remove({ declares, replaced }: Run) {
    for (const { name } of declares) {
      const before = replaced.get(name);
      if (before === undefined || before === OF_HOST) this.#meanings.delete(name);
      else this.#meanings.set(name, before);
    }
  }

  #keep(source: string, language: FileLanguage, own: readonly string[], uses: Uses): SourceRun {
    const file = `r${++lastId}.${language}`;
    const text = `${uses.prefix}\n${source}\nexport { ${own.join(', ')} };`;
    const run = { file, text, chars: text.length, needs: uses.needs };
    this.#runs.push(run);
    this.#chars += run.chars;
    this.files.push(file);
    return run;
  }

  #dropOldRuns() {
    const dropped = new Set<Meaning>();
    while (this.#runs.length > MAX_RUNS || this.#chars > MAX_RUN_CHARS) {
      const run = this.#runs.shift() as SourceRun;
      this.#chars -= run.chars;
      dropped.add(run);
    }
    if (dropped.size === 0) return [];
    for (const [name, meaning] of this.#meanings) if (dropped.has(meaning)) this.#meanings.set(name, UNKNOWN);
    return this.files.splice(0, dropped.size);
  }
}

/** The names of earlier runs that a program uses. */
export class Uses {
  #known: Map<string, Variable | SourceRun> = new Map();
  #unknown: string[];
  #runs: Set<SourceRun> = new Set();
  #variables: Map<string, string> = new Map();

  /** @param unknown names that may be anything. So may others, if their types need too many runs. */
  constructor(uses: ReadonlyMap<string, Variable | SourceRun>, unknown: readonly string[]) {
    this.#unknown = [...unknown];
    for (const [name, meaning] of uses) {
      if (this.#adds(meaning)) this.#known.set(name, meaning);
      else this.#unknown.push(name);
    }
  }

  get needs(): Needs {
    return { runs: this.#runs, variables: this.#variables };
  }

  /** Declares the names, before the program. Also makes a module of the text. */
  get prefix(): string {
    const byFile: Map<string, string[]> = new Map();
    for (const [name, meaning] of this.#known) {
      const [file, specifier] = 'id' in meaning ? [VARIABLES_FILE, `${meaning.id} as ${name}`] : [meaning.file, name];
      const specifiers = byFile.get(file);
      if (specifiers === undefined) byFile.set(file, [specifier]);
      else specifiers.push(specifier);
    }
    const imports = [...byFile].map(
      ([file, specifiers]) => `import { ${specifiers.join(', ')} } from '${moduleOf(file)}'; `,
    );
    const others = this.#unknown.map((name) => `let ${name} = ${ANYTHING}; `);
    return `${BLANK} ${imports.join('')}${others.join('')}`;
  }

  /** The text of {@link VARIABLES_FILE}. */
  get variables(): string {
    const declared = [...this.#variables].map(([id, type]) => `export declare let ${id}: ${type};`);
    return [BLANK, ...declared].join('\n');
  }

  /** Those that the program does not declare itself. */
  without(declares: readonly Declared[]): Uses {
    const own = new Set(declares.map(({ name }) => name));
    const known = new Map([...this.#known].filter(([name]) => !own.has(name)));
    return new Uses(
      known,
      this.#unknown.filter((name) => !own.has(name)),
    );
  }

  /** @returns false if it needs too many runs */
  #adds(meaning: Variable | SourceRun) {
    if ('id' in meaning) {
      this.#variables.set(meaning.id, meaning.type);
      return true;
    }
    const runs = new Set([...this.#runs, meaning, ...meaning.needs.runs]);
    if (runs.size > MAX_NEEDED) return false;
    this.#runs = runs;
    for (const [id, type] of meaning.needs.variables) this.#variables.set(id, type);
    return true;
  }
}

/** How an import names a file. */
function moduleOf(file: string) {
  return `./${file.replace(/(?:\.d)?\.\w+$/, '.js')}`;
}
