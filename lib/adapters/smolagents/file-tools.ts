import { createFileTools } from '../../files';
import { describeFileTools } from '../../files/definitions';
import type { Foreign } from '../../contract/foreign';

/** The folder in which Pyodide sees the working directory, unless the agent names another one. */
const MOUNT_POINT = '/mnt';
/**
 * The last block of a function that only throws: tools of smolagents-ts whose implementation is Python. A block that
 * other code surrounds does not end the function.
 */
const ONLY_THROWS =
  /\{\s*(?:\/\/[^\n]*\n\s*|\/\*[^]*?\*\/\s*)*(?:throw|return Promise\.reject)\b(?:[^{}]|\$\{[^{}]*\})*\}$/;

/** Where an agent's Python would see files. */
interface AgentFolders {
  workDir?: string;
  mountPoint?: string;
}

/**
 * Replaces the file tools of smolagents-ts by those of this package. Theirs are written in Python, and their `forward`
 * only throws.
 *
 * @throws {TypeError} with the code `ERR_PYTHON_TOOL` for other tools that exist only in Python
 */
export function withFileTools(
  tools: unknown,
  { workDir = process.cwd(), mountPoint = MOUNT_POINT }: AgentFolders,
): Foreign {
  if (!Array.isArray(tools)) return tools;
  const refused: string[] = [];
  const replaced = tools.map((tool) => {
    if (!isPythonOnly(tool)) return tool;
    const root = tool.cwd === mountPoint ? workDir : tool.cwd;
    const definition = typeof root === 'string' && describeFileTools({ root }).find(({ name }) => name === tool.name);
    if (!definition) {
      refused.push(String(tool.name));
      return tool;
    }
    const { description, inputs, output_schema: outputSchema } = definition;
    const functions = createFileTools({ root }) as Record<string, (args: unknown) => unknown>;
    return Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, {
      description,
      inputs,
      output_schema: outputSchema,
      pythonCode: undefined,
      forward: (args: unknown) => functions[tool.name](args),
    });
  });
  if (refused.length > 0) throw pythonToolError(refused);
  return replaced;
}

/** Whether a tool has Python code and nothing that JavaScript can call. */
function isPythonOnly(tool: Foreign) {
  if (typeof tool !== 'object' || tool === null || typeof tool.pythonCode !== 'string') return false;
  return typeof tool.forward !== 'function' || ONLY_THROWS.test(Function.prototype.toString.call(tool.forward).trim());
}

export function pythonToolError(names: string[]) {
  const message =
    `Python tools cannot run in a JavaScript executor: ${names.join(', ')}. Give the agent tools without \`pythonCode\`, ` +
    'and give the executor Tool objects whose `forward(args)` is JavaScript: ' +
    'createSmolagentsExecutor({ tools: [tool] }) or sendTools({ name: tool })';
  return Object.assign(new TypeError(message), { code: 'ERR_PYTHON_TOOL', tools: names });
}
