/**
 * `ses-executor/browser`: runs agent-written code in a page of a real headless Chrome. The page has the DOM, Canvas,
 * WebGL and the other browser APIs, but no network by default.
 *
 * @packageDocumentation
 */

import { BrowserExecutor } from './executor';
import type { BrowserExecutorOptions, BrowserRunOptions, NetworkOptions } from './options';
import type { Artifact, BrowserExecutorError, BrowserOutput } from './output';

export { BrowserExecutor };
export type {
  Artifact,
  BrowserExecutorError,
  BrowserExecutorOptions,
  BrowserOutput,
  BrowserRunOptions,
  NetworkOptions,
};
