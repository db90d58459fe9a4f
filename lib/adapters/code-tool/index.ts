import { makeCodeTool } from './code-tool';
import type { CodeTool, CodeToolOptions } from './api';

/** Creates the tool that lets a model call other tools from code. Documented in `api.d.ts`. */
export function createCodeTool(options: CodeToolOptions): CodeTool {
  return makeCodeTool(options).tool;
}
