// Compiled, never run: the declarations of the file tools say what callers may write.
import { SESExecutor } from '../../index.js';
import {
  createFileTools,
  fileToolDefinitions,
  type FileToolDefinition,
  type FileToolResult,
  type FileTools,
  type ReadOnlyFileTools,
} from '../../build/files';

export async function contract(readOnly: boolean): Promise<void> {
  const tools: FileTools = createFileTools({ root: '.', limits: { maxLines: 10 } });
  const reader: ReadOnlyFileTools = createFileTools({ root: new URL('file:///'), readOnly: true });
  const either: ReadOnlyFileTools = createFileTools({ root: '.', readOnly });
  // @ts-expect-error: there is no such tool
  void reader.write;
  // @ts-expect-error: a root is needed
  createFileTools({});

  const executor = new SESExecutor();
  await executor.sendTools(tools);
  await executor.sendTools({ files: { ...reader } });

  const found: FileToolResult = await either.grep({ pattern: 'a', limit: null });
  for (const block of found.content) {
    const text: string = block.type === 'text' ? block.text : block.data;
    void text;
  }
  await tools.read('a.txt', 1, 10);
  const { details } = await tools.edit('a.txt', 'old', 'new');
  const diff: string | undefined = details?.diff;
  void diff;
  // @ts-expect-error: the limit of grep is no positional argument
  await tools.grep('a', 'b', 3);

  const definitions: FileToolDefinition[] = fileToolDefinitions;
  void definitions;
}
