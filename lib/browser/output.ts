// The output of a run in a page.

import type { ExecutorError } from '../contract/errors';
import type { CodeOutput } from '../contract/executor-types';

/** A picture or a file that a run has produced. */
export interface Artifact {
  /**
   * Path of the file. Absent without `artifactsDir`, and if the folder could not be written to, which the log reports
   * as a warning. A JSON file next to it, `path + ".json"`, contains all these fields.
   */
  path?: string;
  /** Unique name of the file. Its extension matches the type. */
  name: string;
  /** The name passed to `saveArtifact()`, up to 255 characters. Absent for the run's canvas. */
  givenName?: string;
  /**
   * Content type. For strings, bytes and Blobs without a type, it is derived from the extension of the given name, if
   * that is known.
   */
  mimeType: string;
  /** Width in pixels, for pictures. */
  width?: number;
  /** Height in pixels, for pictures. */
  height?: number;
  /** Length of the content in bytes. */
  bytes: number;
  /** SHA-256 of the content, hexadecimal. */
  sha256: string;
  /** Time of creation, ISO 8601 in UTC. */
  createdAt: string;
  /** The content, if there is no `path`. */
  data?: Uint8Array;
}

/**
 * The result of a run. In its `stats`, `operations` is 0, and `heapUsedBytes` is the last value that the browser
 * reported to the page.
 */
export interface BrowserOutput extends CodeOutput {
  /** The run's canvas, if the run has used `getCanvas()`, and the artifacts kept with `saveArtifact()`. */
  artifacts: Artifact[];
}

/** The error with which a run of a {@link BrowserExecutor} rejects. */
export interface BrowserExecutorError extends ExecutorError {
  /**
   * The artifacts that the run kept with `saveArtifact()` before it failed. Absent if no browser was available. Not
   * enumerable.
   */
  artifacts?: Artifact[];
}
