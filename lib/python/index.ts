import { AgentExecutionError } from './errors';
import { PyodideExecutor } from './executor';
import { BASE_BUILTIN_MODULES } from './options';

/** Loaded when it is called, because it needs the addon. */
export const addPackages: typeof import('./api').addPackages = async (folder, wheels) =>
  (require('./packages') as typeof import('./packages')).addPackages(folder, wheels);

export { AgentExecutionError, BASE_BUILTIN_MODULES, PyodideExecutor };
