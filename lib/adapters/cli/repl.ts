import { homedir } from 'node:os';
import { join } from 'node:path';
import { Recoverable, start } from 'node:repl';
import { inspect } from 'node:util';

import { namesFor } from './completion';
import { errorText } from './diagnostics';
import { endServersBySignal } from './end-by-signal';
import { loadTools, readVariables, refuseNoFolder, utf8Of } from './input';
import { limitsOf } from './limits';
import { OpenBrackets } from './open-brackets';
import { isIncompletePython, pythonNamesFor } from './python-lines';
import { lost, visible, write } from './terminal';
import { asUsage } from './usage-error';
import { ExecutorError } from '../../contract/errors';
import { outputText } from '../../contract/render';
import { prepareProgram } from '../../ses/check';
import { SESExecutor } from '../../ses/executor';
import { preferredIsolation } from '../../ses/isolation';
import { connectServers } from '../mcp/servers';
import { toolsetOf } from '../mcp/tools';
import { languageText } from '../code-tool/language';
import { BASE_BUILTIN_MODULES, PyodideExecutor } from '../../python';
import type { Command, CommandOptions } from './main';
import type { Executor, ExecutorOptions } from '../../../index';
import type { LanguageText } from '../code-tool/language';
import type { Toolset } from '../mcp/toolset';

/** What errors of a prompt are said to be in. */
const PLACE = 'repl';
const STATE_LOST = 'The variables and functions that you have defined are gone.';

/** `ses-executor repl`: runs what is typed, until stdin ends, `.exit`, or nobody reads stdout; then 0. */
export async function repl(_file: Parameters<Command>[0], given: Parameters<Command>[1]): ReturnType<Command> {
  const { root, readOnly, vars, tools, servers: commands, python } = given;
  refuseNoFolder(root, readOnly);
  const variables = vars === undefined ? undefined : readVariables(vars);
  const exported = tools === undefined ? {} : await loadTools(tools);
  endServersBySignal();
  const servers = await connectServers(commands);
  try {
    const prompt = await asUsage(
      () =>
        new Prompt({
          executor: newExecutor(given),
          language: python ? PYTHON : JAVASCRIPT,
          toolset: toolsetOf({ root, readOnly, tools: exported, servers }).toolset,
          variables,
          input: process.stdin.isTTY === true ? process.stdin : utf8Of(process.stdin, 'the standard input'),
          output: process.stdout,
          terminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
          hasColours: process.stdout.isTTY === true && process.stdout.hasColors(),
          history: historyFile(),
        }),
    );
    await Promise.race([prompt.ended, lost(process.stdout)]);
    return 0;
  } finally {
    await Promise.all(servers.map(({ close }) => close()));
  }
}

function newExecutor({ authorizedImports, modules, python, packages, ...given }: CommandOptions) {
  const onLog: ExecutorOptions['onLog'] = ({ message }) => write(process.stdout, `${message}\n`);
  const { maxOperations, ...limits } = limitsOf(given);
  const common = { ...limits, isolation: preferredIsolation(), onLog };
  if (!python) {
    if (packages !== undefined) throw new TypeError('--packages needs --python');
    return new SESExecutor({ ...common, maxOperations, authorizedImports, modules, keepState: true });
  }
  const [module] = Object.keys(modules);
  if (module !== undefined) throw new TypeError(`the module ${module} cannot have a text: the code is Python`);
  const imports = [...BASE_BUILTIN_MODULES, ...authorizedImports];
  // Operations of Python are lines, and what is not given is that executor's own.
  return new PyodideExecutor(imports, { ...common, max_operations: given.maxOperations, mount: false, packages });
}

/** What a prompt has to know of the language of its programs. */
export interface PromptLanguage {
  text: LanguageText;
  /** whether further lines may complete code that ends with a line break */
  isIncomplete: (code: string) => boolean;
  /** whether its brackets are those of JavaScript */
  hasBrackets: boolean;
  namesFor: typeof namesFor;
  /** whether nothing is shown for `null` */
  hidesNull: boolean;
}

const JAVASCRIPT: PromptLanguage = {
  text: languageText(),
  isIncomplete,
  hasBrackets: true,
  namesFor,
  hidesNull: false,
};
const PYTHON: PromptLanguage = {
  text: languageText('python'),
  isIncomplete: isIncompletePython,
  hasBrackets: false,
  namesFor: pythonNamesFor,
  hidesNull: true,
};

/** Where what was typed is kept; undefined: nowhere. */
function historyFile() {
  const { SES_EXECUTOR_REPL_HISTORY: file } = process.env;
  if (file !== undefined) return file.trim() === '' ? undefined : file;
  try {
    return join(homedir(), '.ses_executor_repl_history');
  } catch {
    // The user has no home.
    return undefined;
  }
}

export interface PromptOptions {
  executor: Executor;
  /** of its programs; default JavaScript */
  language?: PromptLanguage;
  toolset: Toolset;
  /** of each isolate */
  variables?: Record<string, unknown>;
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  /** whether a person types */
  terminal: boolean;
  hasColours: boolean;
  /** file of what was typed */
  history?: string;
}

const PROMPT = '> ';
/** Lines of a program from which on it is not parsed again for each further line while brackets are open. */
const MANY_LINES = 64;
/** A line that a text goes on after: its end is escaped. */
const CONTINUED = /(?<!\\)(?:\\\\)*\\\r?\n$/;

/** Reads programs from a person, runs them one after the other in one executor, and shows what they give. */
export class Prompt {
  ready;
  ended;

  #executor;
  #language;
  #toolset;
  #variables;
  #hasColours;
  #terminal;
  #server;
  /** Settles with the last program that was typed. */
  #last: Promise<unknown> = Promise.resolve();
  /** Of the run under way. */
  #run: AbortController | undefined;
  /** Programs that have been typed and not shown what they give. */
  #waiting = 0;
  /** What has been typed of a program that goes on. */
  #begun = '';
  /** What was typed last. */
  #line = '';
  /** Those of the program that goes on. */
  #brackets = new OpenBrackets();
  #lines = 0;
  /** Number of lines at which it is parsed again although brackets are open. */
  #parsedAgainAt = 0;
  #mayExit = false;
  /** Whether it has been shown that what was defined is gone. */
  #isLossShown = false;

  constructor({
    executor,
    language = JAVASCRIPT,
    toolset,
    variables,
    input,
    output,
    terminal,
    hasColours,
    history,
  }: PromptOptions) {
    this.#executor = executor;
    this.#language = language;
    this.#toolset = toolset;
    this.#variables = variables;
    this.#hasColours = hasColours;
    this.#terminal = terminal;
    const server = start({
      prompt: terminal ? PROMPT : '',
      input,
      output,
      terminal,
      useColors: hasColours,
      eval: (code, _context, _file, done) => this.#evaluate(code, done),
      // What programs give is shown here, since the next ones may be typed before.
      ignoreUndefined: true,
      completer: (line: string, done: any) => void this.#complete(line, done),
    });
    this.#server = server;
    if (!terminal) server.displayPrompt = () => {};
    server.prependListener('line', (line) => (this.#line = line));
    this.#setUpCommands();
    // Its own would end at the second Ctrl-C, whatever runs.
    server.removeAllListeners('SIGINT');
    server.on('SIGINT', () => this.#interrupt());
    /** Settles when what was typed in earlier sessions is there. */
    this.ready = new Promise((resolve) => {
      if (!terminal || history === undefined) return resolve(undefined);
      // A history that cannot be read is one that there is not.
      server.setupHistory(history, () => resolve(undefined));
    });
    /** Settles when the session has ended. */
    this.ended = new Promise((resolve, reject) => {
      let end: () => Promise<void> = () => this.#end();
      // Of its input.
      server.once('error', (error) => {
        this.#begun = '';
        end = async () => {
          await this.#end();
          throw error;
        };
        server.close();
      });
      server.once('exit', () => end().then(resolve, reject));
    });
  }

  #setUpCommands() {
    const server = this.#server;
    // It clears a context that programs do not run in.
    delete (server.commands as any).clear;
    server.defineCommand('tools', {
      help: 'Show what the code can call',
      action: () =>
        this.#inTurn(async () =>
          this.#toolset.isEmpty ? 'There are no tools.' : this.#toolset.declarationsIn(this.#language.text),
        ),
    });
    server.defineCommand('reset', {
      help: 'Forget all variables and functions',
      action: () =>
        this.#inTurn(async () => {
          await this.#executor.cleanup();
          return 'The session is empty.';
        }),
    });
  }

  #evaluate(code: string, done: (error: Error | null, result: undefined) => void) {
    this.#mayExit = false;
    const before = this.#begun;
    this.#begun = '';
    if (before === '' && code.trim() === '') return done(null, undefined);
    if (this.#goesOn(code, before)) {
      this.#begun = code;
      return done(new Recoverable(new SyntaxError('it goes on')), undefined);
    }
    this.#inTurn(() => this.#runInTurn(code));
    done(null, undefined);
  }

  /**
   * Whether further lines may complete code. To parse it for each of thousands of lines would take the square of that time.
   *
   * @param before what was there before its last lines
   */
  #goesOn(code: string, before: string) {
    if (!this.#language.hasBrackets) return this.#language.isIncomplete(code);
    // To look at the code itself would have Node.js join all lines, for each of them.
    const line = `${this.#line}\n`;
    const isLonger = before !== '' && code.length === before.length + line.length;
    if (!isLonger) {
      this.#brackets = new OpenBrackets();
      this.#lines = 0;
      this.#parsedAgainAt = MANY_LINES;
    }
    const added = isLonger ? line : code;
    this.#brackets.add(added);
    this.#lines += added.split('\n').length - 1;
    if (this.#lines > MANY_LINES && this.#lines < this.#parsedAgainAt && this.#brackets.areOpen) return true;
    // What the brackets say is a guess.
    this.#parsedAgainAt = Math.ceil(this.#lines * 1.25);
    return this.#language.isIncomplete(code);
  }

  /** Shows what a call gives, when those before have been shown; then there is a prompt again. */
  #inTurn(call: () => Promise<string | undefined>) {
    this.#waiting++;
    this.#server.setPrompt('');
    this.#last = this.#last.then(call).then(
      (text) => this.#show(text),
      (error) => this.#show(this.#red(String(error?.message ?? error))),
    );
  }

  #show(text: string | undefined) {
    if (text !== undefined) this.#say(text);
    if (--this.#waiting > 0) return;
    this.#server.setPrompt(PROMPT);
    this.#server.displayPrompt(true);
  }

  async #runInTurn(code: string) {
    const colors = this.#hasColours;
    const controller = new AbortController();
    this.#run = controller;
    const { tools, end } = this.#toolset.forRun(controller.signal, this.#language.text);
    try {
      await this.#makeReady();
      if (!this.#toolset.isEmpty) await this.#executor.sendTools(tools);
      const { output } = await this.#executor.run(code, { signal: controller.signal });
      if (output === null && this.#language.hidesNull) return undefined;
      // As in other prompts: a string is told from what else would look like it.
      return typeof output === 'object' ? outputText(output, { colors }) : inspect(output, { colors });
    } catch (error) {
      if (!(error instanceof ExecutorError)) throw error;
      const text = controller.signal.aborted ? 'Interrupted.' : errorText(error, PLACE, code).trimEnd();
      this.#isLossShown = this.#executor.state === 'DIRTY';
      return this.#red(this.#isLossShown ? `${text}\n${STATE_LOST}` : text);
    } finally {
      end();
      this.#run = undefined;
    }
  }

  async #makeReady() {
    if (this.#executor.state === 'DIRTY') {
      // Its process has ended while nothing ran: the system was short of memory, for example.
      if (!this.#isLossShown) this.#say(this.#red(STATE_LOST));
      await this.#executor.cleanup();
    }
    if (!['NEW', 'DEAD'].includes(this.#executor.state)) return;
    await this.#executor.init();
    this.#isLossShown = false;
    if (this.#variables !== undefined) await this.#executor.sendVariables(this.#variables);
  }

  /** Ctrl-C ends the run; without one what is being typed; without that, the second time, the session. */
  #interrupt() {
    const server = this.#server;
    if (this.#run !== undefined) return this.#run.abort(new Error('interrupted'));
    const isTyping = server.line !== '' || this.#begun !== '' || server.editorMode;
    if (!isTyping && this.#mayExit) return server.close();
    this.#mayExit = !isTyping;
    this.#begun = '';
    (server as any).editorMode = false;
    server.setPrompt(PROMPT);
    server.clearBufferedCommand();
    this.#say(isTyping ? '' : '(To exit, press Ctrl+C again or Ctrl+D or type .exit)');
    (server as any).line = '';
    (server as any).cursor = 0;
    server.displayPrompt();
  }

  async #complete(line: string, done: (error: Error | null, result: [string[], string]) => void) {
    const nothing = [[], line] as [string[], string];
    if (line.trimStart().startsWith('.')) return done(null, [this.#commandsLike(line.trimStart()), line.trimStart()]);
    // Its names are those of the isolate, which is at work.
    if (this.#waiting > 0) return done(null, nothing);
    const found = this.#last.then(async () => {
      await this.#makeReady();
      const { tools, end } = this.#toolset.forRun(undefined, this.#language.text);
      if (!this.#toolset.isEmpty) await this.#executor.sendTools(tools);
      end();
      return this.#language.namesFor(line, this.#executor);
    });
    this.#last = found.catch(() => {});
    done(null, await found.catch(() => nothing));
  }

  #commandsLike(start: string) {
    return Object.keys(this.#server.commands)
      .map((name) => `.${name}`)
      .filter((name) => name.startsWith(start));
  }

  async #end() {
    // A person who leaves does not wait for what runs.
    if (this.#terminal) this.#run?.abort(new Error('the session has ended'));
    else if (this.#begun !== '') this.#evaluateRest();
    await this.#last;
    await this.#executor.cleanup();
  }

  /** A program that ends before it is complete is an error. */
  #evaluateRest() {
    const code = this.#begun;
    this.#inTurn(() => this.#runInTurn(code));
  }

  #say(text: string) {
    this.#server.output.write(`${this.#terminal ? visible(text) : text}\n`);
  }

  #red(text: string) {
    // Not by `styleText`, which Node.js has since 20.12.
    return this.#hasColours ? `\x1b[31m${text}\x1b[39m` : text;
  }
}

/**
 * Whether code ends before it is complete, so that further lines may complete it.
 *
 * @param code that ends with a line break
 */
function isIncomplete(code: string) {
  const lines = code.trimEnd().split('\n').length;
  return prepareProgram(code).diagnostics.some(
    ({ rule, message, location }) =>
      rule === 'syntax_valid' &&
      ((location !== undefined && location.line > lines) ||
        message === 'Unterminated template' ||
        (message === 'Unterminated string constant' && CONTINUED.test(code))),
  );
}
