/**
 * File tools for agents, ready for `sendTools`, confined to one folder.
 *
 * @packageDocumentation
 */

// For `URL`.
/// <reference path="../../index.d.ts" />

/** What file tools are made with. */
export interface FileToolOptions {
  /**
   * The folder that the tools work in, a path or a `file:` URL. It is opened once; all paths of calls are relative to it.
   * `..`, absolute paths and symbolic links do not lead out of it, even if folders and links are exchanged meanwhile.
   * Relative symbolic links that stay inside work, absolute ones do not. Absolute paths work that lie inside as they are written.
   */
  root: string | URL;
  /** Whether `write`, `edit`, `move` and `remove` are left out. Default `false`. */
  readOnly?: boolean | undefined;
  /** What one call may use. */
  limits?: FileToolLimits | undefined;
}

/** Limits of one call: integers from 1. */
export interface FileToolLimits {
  /** Lines that `read` shows at once. Default 2,000. */
  maxLines?: number | undefined;
  /** UTF-8 bytes of text that a tool gives at once, and of the diff of `edit`; notices aside. Default 51,200 (50 KiB). */
  maxBytes?: number | undefined;
  /** Bytes of an image that `read` gives, before base64. Default 10,485,760 (10 MiB). */
  maxImageBytes?: number | undefined;
  /**
   * Bytes of a file: `readText`, `readBytes`, `edit`, `write`, `grep` of one file and `read` without `offset` and `limit` refuse larger ones, `grep`
   * of a folder skips them and says so. Default 33,554,432 (32 MiB).
   */
  maxFileBytes?: number | undefined;
  /** Matches, paths or entries that `grep`, `find` and `ls` give, whatever their `limit`. Default 10,000. */
  maxResults?: number | undefined;
  /**
   * Folder entries that `grep`, `find` and `ls` look at; then they give what they have. `remove` removes as many; if there are
   * more, it is an error then. Default 200,000.
   */
  maxEntries?: number | undefined;
  /**
   * Milliseconds that `grep`, `find` and `ls` look for; then they give what they have. Also for `read` to reach lines of a file beyond
   * `maxFileBytes`; then it fails. Default 5,000.
   */
  maxSearchMs?: number | undefined;
}

export interface TextBlock {
  type: 'text';
  text: string;
}

export interface ImageBlock {
  type: 'image';
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
  mimeType: string;
  /** Base64. */
  data: string;
}

/** What a tool gives. `details` is absent if there are no facts beside the text. */
export interface FileToolResult<Details = FileToolDetails> {
  content: Array<TextBlock | ImageBlock>;
  details?: Details;
}

/** How a text was cut, at whole lines. */
export interface Truncation {
  truncated: true;
  /** The limit that cut. */
  truncatedBy: 'lines' | 'bytes';
  /** Lines of the text before: for `read` those from `offset` on, `limit` at most. */
  totalLines: number;
  totalBytes: number;
  /** Lines that are left. */
  outputLines: number;
  outputBytes: number;
  /** The first line alone is beyond the byte limit, so that none is left. */
  firstLineExceedsLimit: boolean;
  maxLines: number;
  maxBytes: number;
}

/** Facts beside the text. Only what applies is there. */
export interface FileToolDetails {
  /** `read`, `grep`, `find`, `ls`: the text was cut. Not for `read` of a file beyond `maxFileBytes`, whose lines are not counted. */
  truncation?: Truncation;
  /** `edit`: the change as lines `-12 old`, `+12 new` and ` 12 same`, with four lines of context. */
  diff?: string;
  /** `edit`: the diff was cut at `maxBytes`. */
  diffTruncated?: boolean;
  /** `edit`: line of the first change in the new text, from 1. */
  firstChangedLine?: number;
  /** `grep`: the limit of matches that ended the search. */
  matchLimitReached?: number;
  /** `grep`: a line was cut, to 500 characters around its first match. */
  linesTruncated?: boolean;
  /** `grep`: how many files were not searched because they are larger than `maxFileBytes`. */
  filesSkipped?: number;
  /** `find`: the limit of paths that ended the search. */
  resultLimitReached?: number;
  /** `ls`: the limit of entries that cut the list. */
  entryLimitReached?: number;
  /** `grep`, `find`, `ls`: ended early by `maxEntries` or `maxSearchMs`. */
  stoppedBy?: 'entries' | 'time';
}

/** Details of `edit`. */
export type EditDetails = FileToolDetails & { diff: string; firstChangedLine: number };

export interface ReadArguments {
  path: string;
  /** First line, from 1. */
  offset?: number | null | undefined;
  /** Number of lines. */
  limit?: number | null | undefined;
}

export interface WriteArguments {
  path: string;
  content: string;
}

export interface EditArguments {
  path: string;
  oldText: string;
  newText: string;
}

/** What there is at a path, links followed. */
export interface FileStat {
  type: 'file' | 'directory' | 'other';
  /** Bytes of a file; 0 of anything else. */
  size: number;
  /** Time of the last change, ISO 8601 in UTC; null if the file system has none, or one beyond the years of a `Date`. */
  modified: string | null;
}

export interface MoveArguments {
  from: string;
  /** The whole new path. */
  to: string;
  /** Whether a file that is there already is replaced. Default `false`. */
  overwrite?: boolean | null | undefined;
}

export interface RemoveArguments {
  path: string;
  /** Whether a folder may have something in it. Default `false`. */
  recursive?: boolean | null | undefined;
}

export interface GrepArguments {
  /**
   * A regular expression in the syntax of Rust's `regex` crate: linear time, no look-around, no back-references. Each line is a
   * text of its own, also for `\A` and `\z`.
   */
  pattern: string;
  /** Folder or file. Default: the root. */
  path?: string | null | undefined;
  /** Which files: `*.ts` at any depth, `src/**` below the folder of the search, `!*.min.js` for all others. */
  glob?: string | null | undefined;
  /** Default `false`. */
  ignoreCase?: boolean | null | undefined;
  /** The pattern is plain text. Default `false`. */
  literal?: boolean | null | undefined;
  /** Lines before and after each match. Default 0. */
  context?: number | null | undefined;
  /** Most matches. Default 100. */
  limit?: number | null | undefined;
}

export interface FindArguments {
  /** A glob: without a slash for names at any depth, with one for paths below the folder of the search. */
  pattern: string;
  /** Folder. Default: the root. */
  path?: string | null | undefined;
  /** Most paths. Default 1,000. */
  limit?: number | null | undefined;
}

export interface LsArguments {
  /** Folder. Default: the root. */
  path?: string | null | undefined;
  /** Most entries. Default 500. */
  limit?: number | null | undefined;
}

/**
 * The tools. Each takes one object of arguments, or the first ones by position. Calls run on threads of their own;
 * `write`, `edit`, `move` and `remove` of one set of tools run one after the other, in the order of the calls. Sets of tools take turns. When the run
 * that made a call is over, its searches end, and what has not begun does not begin.
 *
 * A name with control characters is shown as a JSON text, and so is one that begins with a quote: results have a line per name.
 *
 * A call that fails rejects with an `Error` whose text is meant for the model, names paths as the call gave them and
 * never those of the host, and whose `code` is one of:
 *
 * - `ENOENT`, `EACCES`, `ENOTDIR`, `EISDIR`, `ENAMETOOLONG`, `ENOSPC`, `EROFS`, `EIO`: as the operating system has them;
 * - `ERR_PATH_ESCAPES_ROOT`, `ERR_INVALID_PATH`: the path leads out of the root, or is no path;
 * - `ERR_NOT_A_FILE`, `ERR_BINARY_FILE`, `ERR_FILE_TOO_LARGE`: a pipe, a socket or a device; neither text nor an image;
 *   beyond `maxFileBytes` or `maxImageBytes`;
 * - `ERR_OFFSET_BEYOND_END`: `read` from behind the last line;
 * - `ERR_TEXT_NOT_FOUND`, `ERR_TEXT_NOT_UNIQUE`, `ERR_NO_CHANGE`: `edit` has no one place, or nothing to change;
 * - `EEXIST`, `ENOTEMPTY`, `EINVAL`, `EXDEV`, `ERR_TOO_MANY_ENTRIES`: `move`, `remove`;
 * - `ERR_INVALID_JSON`: `readJson`;
 * - `ERR_INVALID_PATTERN`: `grep`, `find`;
 * - `ECANCELED`: the run that made the call is over;
 * - `ERR_INTERNAL`: the tool has failed by a bug of its own; please report it.
 *
 * Wrong arguments are a `TypeError` or `RangeError` that names tool and argument, without a code.
 */
export type ReadOnlyFileTools = {
  /**
   * Lines of a text file, or an image, which is told by its content and not by its name. What is no UTF-8 is shown as
   * U+FFFD; a file with null bytes at its start is refused. Where the text ends early, its last line says how to go on.
   */
  read(args: ReadArguments): Promise<FileToolResult>;
  read(path: string, offset?: number | null, limit?: number | null): Promise<FileToolResult>;
  /**
   * For code: the whole text of a UTF-8 file, without a byte order mark. Nothing is cut: a file beyond `maxFileBytes`, or one that
   * is no UTF-8, is an error.
   */
  readText(args: { path: string } | string): Promise<string>;
  /**
   * For code: the value of a JSON file of up to 4 MiB, 120,000 elements and members, and 1,000 levels; of a larger one
   * `JSON.parse(await readText(path))` in guest code.
   */
  readJson(args: { path: string } | string): Promise<unknown>;
  /** For code: all lines of a UTF-8 file of up to 4 MiB and 500,000 lines, without their ends. */
  readLines(args: { path: string } | string): Promise<string[]>;
  /** For code: the content of a file. */
  readBytes(args: { path: string } | string): Promise<Uint8Array>;
  /** What there is at a path. */
  stat(args: { path: string } | string): Promise<FileStat>;
  /**
   * Lines that match, as `path:12: line`, and around them `path-11- line`, in the order of paths, which are relative to the
   * folder of the search. Leaves out what `.gitignore` files say, `.git`, `node_modules`, links and files with null bytes;
   * hidden files are searched. In lines longer than 16 KiB a match longer than 4 KiB may be missed.
   */
  grep(args: GrepArguments): Promise<FileToolResult>;
  grep(pattern: string, path?: string | null): Promise<FileToolResult>;
  /**
   * Paths of files, folders (with a slash at the end) and links that match, relative to the folder of the search. Leaves out
   * what `.gitignore` files say, `.git` and `node_modules`, and does not follow links; hidden files are found.
   */
  find(args: FindArguments): Promise<FileToolResult>;
  find(pattern: string, path?: string | null): Promise<FileToolResult>;
  /** Names in a folder in alphabetical order, hidden ones too, folders and links to folders with a slash at the end. */
  ls(args?: LsArguments): Promise<FileToolResult>;
  ls(path?: string | null): Promise<FileToolResult>;
};

/** All tools. */
export type FileTools = ReadOnlyFileTools & {
  /**
   * Makes a file, with its parent folders, or replaces it. The file is complete before it has its name; permissions, owner and
   * group of one that is replaced stay. If the process may not give a file to these, it writes the old one in place instead. A
   * link to a file inside the root stands for that file; a link that leads nowhere is replaced.
   */
  write(args: WriteArguments): Promise<FileToolResult>;
  write(path: string, content: string): Promise<FileToolResult>;
  /**
   * Replaces the one place of a UTF-8 text that matches `oldText`, and nothing else; writes as `write` does.
   *
   * Line endings match each other, and new lines end as those of the file. If there is no exact match, spaces at the ends
   * of lines, typographic quotes, Unicode dashes, special spaces, full-width characters and other compatible forms (NFKD) are
   * forgiven. A second place that matches so is an error, one that overlaps the first too.
   */
  edit(args: EditArguments): Promise<FileToolResult<EditDetails>>;
  edit(path: string, oldText: string, newText: string): Promise<FileToolResult<EditDetails>>;
  /**
   * Gives a file, a link or a folder another path, with the parent folders of that. What is there already stays, unless it is a
   * file, `overwrite` is set and no folder is moved. Not to another file system, which a mount below the root is.
   */
  move(args: MoveArguments): Promise<FileToolResult>;
  move(from: string, to: string): Promise<FileToolResult>;
  /** Removes a file, a link itself, or a folder: one that is not empty only with `recursive`. */
  remove(args: RemoveArguments): Promise<FileToolResult>;
  remove(path: string): Promise<FileToolResult>;
};

/**
 * Makes the tools.
 *
 * @throws `TypeError` or `RangeError` for wrong options; `Error` if the root is missing (`ENOENT`), no folder (`ENOTDIR`), or cannot be
 *   opened
 *
 * @example
 * ```js
 * import { SESExecutor } from 'ses-executor';
 * import { createFileTools } from 'ses-executor/tools';
 *
 * const executor = new SESExecutor({ autoInit: true });
 * await executor.sendTools(createFileTools({ root: './workspace' }));
 * const { output } = await executor.run(`
 *   const { content } = await read({ path: 'notes.md', offset: 1 });
 *   content[0].text
 * `);
 * ```
 */
export function createFileTools(options: FileToolOptions & { readOnly: true }): ReadOnlyFileTools;
export function createFileTools(options: FileToolOptions & { readOnly?: false | undefined }): FileTools;
export function createFileTools(options: FileToolOptions): ReadOnlyFileTools;

/** One argument of a tool. */
export interface FileToolInput {
  type: 'string' | 'integer' | 'boolean';
  description: string;
  /** Whether it may be left out. */
  nullable?: boolean;
  /** Of an integer. */
  minimum?: number;
}

/** A tool as prompts and protocols describe it. */
export interface FileToolDefinition {
  name: keyof FileTools;
  description: string;
  /** In the order of positional arguments. */
  inputs: Record<string, FileToolInput>;
  output_type: 'object' | 'string' | 'array' | 'any';
  /** JSON schema of what it gives. */
  output_schema: object;
}

/** The tools that `createFileTools` makes with these options; their descriptions state the limits. */
export function describeFileTools(options: FileToolOptions): FileToolDefinition[];

/** All tools, with the default limits in their descriptions. */
export const fileToolDefinitions: FileToolDefinition[];
