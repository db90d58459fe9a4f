// Compiled, never run: the declarations of `ses-executor/prompts` and `ses-executor/smolagents`.
import { SESExecutor, type CodeOutput, type Executor, type ICodeExecutor, type Tools } from 'ses-executor';
import {
  CODE_AGENT_SYSTEM_PROMPT,
  CodeParsingError,
  parseCodeBlobs,
  renderSystemPrompt,
  systemPromptVariables,
  toJavaScriptSignature,
  type SystemPromptVariables,
  type ToolDefinition,
  type ToolInput,
} from 'ses-executor/prompts';
import { AgentExecutionError, PyodideExecutor as PythonExecutor } from 'ses-executor/python';
import type { StandardSchema } from 'ses-executor/code-tool';
import {
  JavaScriptCodeAgent,
  SmolagentsExecutor,
  createSmolagentsExecutor,
  formatErrorObservation,
  formatObservation,
  toHostTools,
  type SmolagentsTool,
} from 'ses-executor/smolagents';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_ extends true>(): void => {};

/** As in smolagents-ts. */
abstract class BaseTool {
  abstract name: string;
  abstract description: string;
  abstract inputs: Record<string, ToolInput>;
  output_type?: string;
  output_example?: unknown;
  abstract forward(args: Record<string, any>): Promise<unknown>;
  to_dict(): { type: 'function'; function: { name: string; description: string; parameters: { type: 'object' } } } {
    const { name, description } = this;
    return { type: 'function', function: { name, description, parameters: { type: 'object' } } };
  }
}

class SearchTool extends BaseTool {
  name = 'search';
  description = 'Searches.';
  inputs = {
    query: { type: 'string' as const, description: 'What to look for.' },
    engine: { type: 'string' as const, default: 'a', enum: ['a', 'b'] as const, nullable: true },
  };
  override output_type = 'string';
  override async forward({ query }: { query: string }): Promise<string> {
    return query;
  }
}

/** As the agent declares what it is made with, without the private members of `PyodideExecutor`. */
interface AgentExecutor {
  init(): Promise<void>;
  sendTools(
    tools: Record<string, (...args: unknown[]) => Promise<unknown>>,
    pythonToolsMap?: Record<string, string>,
  ): Promise<void>;
  sendVariables(variables: Record<string, unknown>): Promise<void>;
  run(code: string): Promise<{ output: unknown; logs: string; is_final_answer: boolean }>;
  cleanup(): Promise<void>;
}

/** As smolagents-ts declares it: a class with private members, which nothing else can have. */
declare class PyodideExecutor {
  private pyodide;
  private state;
  private authorizedImports;
  private maxOperations;
  private maxWhileIterations;
  private allowedDangerousBuiltins;
  private toolNames;
  private runtimeReady;
  private fsMode;
  private workDir;
  private mountPoint;
  private directoryHandle?;
  private isMounted;
  private nativeFsSync?;
  private getConverters;
  private getJsProxyDescriptor;
  private buildToPyDefaultConverter;
  private ensureRuntime;
  constructor(authorizedImports?: string[], options?: object);
  init(): Promise<void>;
  sendTools(
    tools: Record<string, (...args: unknown[]) => Promise<unknown>>,
    pythonToolsMap?: Record<string, string>,
  ): Promise<void>;
  sendVariables(variables: Record<string, unknown>): Promise<void>;
  run(code: string): Promise<{ output: unknown; logs: string; is_final_answer: boolean }>;
  cleanup(): Promise<void>;
}

interface CodeAgentConfig {
  tools: BaseTool[];
  model: object;
  instructions?: string;
  max_steps?: number;
  managed_agents?: unknown[];
  authorized_imports?: string[];
  executor?: PyodideExecutor;
  code_block_tags?: [string, string];
}

declare abstract class MultiStepAgent {
  protected tools: Map<string, BaseTool>;
  protected state: Map<string, unknown>;
  protected managed_agents: Map<string, MultiStepAgent>;
  constructor(config: CodeAgentConfig);
  abstract initialize_system_prompt(): string;
  run(task: string, options?: { stream?: false }): Promise<unknown>;
  protected abstract _step_stream(step: object): AsyncGenerator<unknown>;
}

declare class CodeAgent extends MultiStepAgent {
  protected executor: PyodideExecutor;
  protected authorized_imports: string[];
  protected code_block_tags: [string, string];
  constructor(config: CodeAgentConfig);
  initialize_system_prompt(): string;
  private extractTextContent;
  protected _step_stream(step: object): AsyncGenerator<unknown>;
}

export async function agents(tools: BaseTool[]): Promise<void> {
  // Without a cast.
  new CodeAgent({ model: {}, tools, executor: createSmolagentsExecutor({ tools }) });
  new CodeAgent({ model: {}, tools, executor: createSmolagentsExecutor({ language: 'python', tools }) });
  new CodeAgent({ model: {}, tools, executor: new SmolagentsExecutor({ tools }) });
  new CodeAgent({ model: {}, tools, executor: new SmolagentsExecutor({ language: 'python', tools }) });
  new CodeAgent({ model: {}, tools, executor: new SmolagentsExecutor({ tools, executor: new SESExecutor() }) });
  new CodeAgent({ model: {}, tools, executor: new PythonExecutor(['math'], { mount: false }) });
  const own = new SmolagentsExecutor({ tools });
  holds<Equal<typeof own, SmolagentsExecutor>>();
  class Derived extends SmolagentsExecutor {}
  new Derived({ tools }).run('1').then(({ output }) => output);
  const JavaScriptAgent = JavaScriptCodeAgent(CodeAgent);
  const agent = new JavaScriptAgent({ model: {}, tools, max_steps: 5, executor_options: { timeoutMs: 1 } });
  const answer: Promise<unknown> = agent.run('go');
  const asAgent: CodeAgent = agent;
  new JavaScriptAgent({ model: {}, tools, executor: new SmolagentsExecutor({ tools }) });
  await agent.cleanup();
  void [answer, asAgent];
  // @ts-expect-error: no such option
  new JavaScriptAgent({ model: {}, tools, executor_options: { timeout: 5 } });
  // @ts-expect-error: no model
  new JavaScriptAgent({ tools });
}

export async function contract(): Promise<void> {
  const tool = new SearchTool();
  const asTool: SmolagentsTool = tool;
  const definition: ToolDefinition = tool;
  const executor = new SmolagentsExecutor({ tools: [tool], timeoutMs: 1, autoInit: true });
  const made = createSmolagentsExecutor();
  holds<Equal<typeof made, SmolagentsExecutor>>();
  const python: Executor = new SmolagentsExecutor({ language: 'python', tools: [tool], authorized_imports: ['math'] });
  const forAgent: AgentExecutor = executor;
  const parity: ICodeExecutor = executor;
  await forAgent.sendTools({}, { read: 'def read(): pass' });
  await executor.sendTools({ tool, add: (a: number, b: number) => a + b, Host: { tool } });
  await executor.sendTools(new Map([['search', asTool]]));
  const output: CodeOutput = await executor.run('1', { timeoutMs: 1 });
  const tools: Tools = toHostTools([tool, { name: 'helper', run: async (task: string) => task }]);
  const observation: string = formatObservation(output) + formatErrorObservation(new Error('x'));

  const prompt: string = renderSystemPrompt({
    tools: [tool, tool.to_dict(), { name: 'now', inputSchema: { type: 'object', properties: {} } }],
    managedAgents: [{ name: 'helper' }],
    authorizedImports: ['units'],
    customInstructions: 'Be brief.',
    codeBlockTags: ['<js>', '</js>'],
    template: CODE_AGENT_SYSTEM_PROMPT,
  });
  renderSystemPrompt({ tools: new Map([['search', tool]]) });
  holds<Equal<ReturnType<typeof systemPromptVariables>, SystemPromptVariables>>();
  const texts: string[] = [toJavaScriptSignature(definition), parseCodeBlobs('1', ['<js>', '</js>']), prompt];
  try {
    parseCodeBlobs('Paris');
  } catch (error) {
    if (error instanceof CodeParsingError) holds<Equal<typeof error.code, 'ERR_CODE_NOT_FOUND'>>();
  }
  void [parity, tools, observation, texts, python];
}

/** An error of Python by its class, and by its name. */
export function nameOf(error: unknown): string | undefined {
  if (!(error instanceof AgentExecutionError)) return undefined;
  holds<Equal<typeof error.name, 'AgentExecutionError'>>();
  return error.explanation;
}

/** A schema as an interface, which has no index signature. */
interface CitySchema {
  type: 'object';
  properties: { city: { type: 'string' } };
}

export function schemas(city: CitySchema, library: StandardSchema): string[] {
  return [
    toJavaScriptSignature({ name: 'weather', inputSchema: city, outputSchema: city, output_type: city }),
    toJavaScriptSignature({ name: 'weather', parameters: library, outputType: library }),
    toJavaScriptSignature({ name: 'weather', inputs: library, output_schema: library }),
  ];
}

export function wrongUse(): void {
  // @ts-expect-error: no such option
  renderSystemPrompt({ tool: [] });
  // @ts-expect-error: a definition has a name
  toJavaScriptSignature({ inputs: {} });
  // @ts-expect-error: both tags
  parseCodeBlobs('', ['<code>']);
  // @ts-expect-error: neither a tool nor a function
  toHostTools({ five: 5 });
  // @ts-expect-error: sources are texts
  void new SmolagentsExecutor().sendTools({}, { read: 5 });
  // @ts-expect-error: no such option
  createSmolagentsExecutor({ timeout: 5 });
}
