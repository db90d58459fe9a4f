import { makeCodeTool } from './code-tool';
import type { CodeTool, CodeToolOptions } from './api';

/** Makes the tool by which a model calls other tools from code. Documented in `api.d.ts`. */
export function createCodeTool(options: CodeToolOptions): CodeTool {
  return makeCodeTool(options).tool;
}
