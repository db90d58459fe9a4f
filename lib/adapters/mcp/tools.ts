import { Toolset } from './toolset';
import { createFileTools } from '../../files/index.js';
import type { Foreign } from '../../contract/foreign';
import type { ConnectedServer } from './servers';

/**
 * The tools for programs from a prompt or from a client of the server. Also reports which of them access files.
 *
 * @param given.root folder that the file tools are confined to; without it there are no file tools
 * @param given.readOnly whether file tools that modify files are left out
 * @param given.tools functions, namespaces and tools with schemas
 * @param given.servers other servers whose tools code can call
 * @throws {TypeError} if two tools have the same name
 */
export function toolsetOf({
  root,
  readOnly = false,
  tools = {},
  servers = [],
}: {
  root?: string;
  readOnly?: boolean;
  tools?: Record<string, Foreign>;
  servers?: ConnectedServer[];
}) {
  const fileTools = root === undefined ? {} : createFileTools({ root, readOnly });
  const toolset = new Toolset();
  toolset.addFunctions('the file tools', fileTools);
  toolset.addExported('the tools', tools);
  for (const { name, definitions } of servers) toolset.addNamespace(`the server ${name}`, name, definitions);
  return { toolset, files: Object.keys(fileTools) };
}
