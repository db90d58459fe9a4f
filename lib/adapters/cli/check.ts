import { diagnosticsText } from './diagnostics';
import { languageOf, readCode } from './input';
import { UsageError, asUsage } from './usage-error';
import { write } from '../../contract/terminal';
import { prepareProgram } from '../../ses/check';
import { inspectLibrary, load, loadLibrary } from '../../ses/library';
import type { Command } from './main';
import type { LibraryReport } from '../../ses/npm-modules';

/** Runs `ses-executor check`. The exit status is 0 if the code may run, otherwise 1. */
export async function check(file: Parameters<Command>[0], options: Parameters<Command>[1]): ReturnType<Command> {
  const { timeoutMs, maxOperations, authorizedImports, modules, globals, json } = options;
  if (options.module) return checkLibrary(file, options);
  const language = languageOf(file);
  if (language === 'python')
    throw new UsageError('check supports JavaScript and TypeScript only; Python is checked when it runs');
  const code = await readCode(file);
  for (const [name, text] of Object.entries(modules)) {
    const { error } = await asUsage(() => load(name, text, authorizedImports, modules));
    if (error !== undefined) throw new UsageError(`the module ${name} does not load: ${error}`);
  }
  const limits = { language, timeoutMs, maxOperations, authorizedImports, modules, globals };
  const { diagnostics } = await asUsage(() => prepareProgram(code, limits));
  const name = file === '-' ? 'stdin' : file;
  write(
    process.stdout,
    json ? `${JSON.stringify({ diagnostics }, null, 2)}\n` : diagnosticsText(diagnostics, name, code),
  );
  return diagnostics.some(({ severity }) => severity === 'ERROR') ? 1 : 0;
}

/**
 * Runs `ses-executor check --module`. The exit status is 0 if the library loads as a module of guest code, otherwise 1.
 */
async function checkLibrary(
  name: Parameters<Command>[0],
  { authorizedImports, modules, json }: Parameters<Command>[1],
): ReturnType<Command> {
  let library;
  try {
    library = await loadLibrary(name);
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${(error as Error).message}`);
  }
  const { members: _, ...report } = await asUsage(() => inspectLibrary(library, { authorizedImports, modules }));
  write(process.stdout, json ? `${JSON.stringify(report, null, 2)}\n` : libraryText(report));
  return report.error === undefined ? 0 : 1;
}

function libraryText({ name, bytes, lacks, imports, exports: names, error }: LibraryReport) {
  const shown = names.slice(0, 20).join(', ') + (names.length > 20 ? ', …' : '');
  return [
    `${name}: ${Math.ceil(bytes / 1024)} KiB`,
    error === undefined
      ? `  loads, with ${names.length} export${names.length === 1 ? '' : 's'}: ${shown}`
      : `  does not load: ${error}`,
    ...(imports.length === 0 ? [] : [`  imports these modules, which must be provided: ${imports.join(', ')}`]),
    ...(lacks.length === 0 ? ['  uses no global that guest code lacks'] : ['  uses globals that guest code lacks:']),
    ...lacks.map(({ name: global, fix }) => `    ${global}${fix === undefined ? '' : ` (${fix})`}`),
    '',
  ].join('\n');
}
