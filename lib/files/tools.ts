// The tools as programs call them: arguments and results.

export interface TextBlock {
  type: 'text';
  text: string;
}

export interface ImageBlock {
  type: 'image';
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
  mimeType: string;
  /** The image in base64. */
  data: string;
}

/** Result of a tool. `details` is absent if there are no facts besides the text. */
export interface FileToolResult<Details = FileToolDetails> {
  content: Array<TextBlock | ImageBlock>;
  details?: Details;
}

/** How text was truncated, at whole lines. */
export interface Truncation {
  truncated: true;
  /** The limit that was reached first. */
  truncatedBy: 'lines' | 'bytes';
  /** Lines of the whole text. For `read`: the lines from `offset` on, at most `limit`. */
  totalLines: number;
  totalBytes: number;
  /** Lines of the truncated text. */
  outputLines: number;
  outputBytes: number;
  /** Whether the first line alone exceeds the byte limit. Then no line is left. */
  firstLineExceedsLimit: boolean;
  maxLines: number;
  maxBytes: number;
}

/**
 * What `grep` or `find` left out until its search ended, as counts. Only counts above 0 are present. Entries that the
 * glob excludes do not count, nor do `.git` and `node_modules`. `grep` does not count links.
 */
export interface LeftOut {
  /** Folders that `.gitignore` excludes. Their contents are not counted. */
  ignoredFolders?: number;
  /** Files that `.gitignore` excludes. `find`: only those that match the pattern. */
  ignoredFiles?: number;
  /** `grep`: files with null bytes. */
  binaryFiles?: number;
  /** `grep`: files of UTF-16 text. */
  utf16Files?: number;
  /** `grep`: files larger than `maxFileBytes`. */
  largeFiles?: number;
  /** Folders that could not be listed. `grep`: also files that could not be read. */
  unreadable?: number;
}

/** Facts besides the text. Only applicable fields are present. */
export interface FileToolDetails {
  /**
   * `read`, `grep`, `find`, `ls`: the text was truncated. Absent for `read` of a file larger than `maxFileBytes`,
   * because its lines are not counted.
   */
  truncation?: Truncation;
  /** `edit`: the change as lines `-12 old`, `+12 new` and ` 12 same`, with four lines of context. */
  diff?: string;
  /** `edit`: the diff was truncated at `maxBytes`. */
  diffTruncated?: boolean;
  /** `edit`: line number of the first change in the new text, from 1. */
  firstChangedLine?: number;
  /** `grep`: the limit of matches that ended the search. */
  matchLimitReached?: number;
  /** `grep`: a line was shortened to 500 characters around its first match. */
  linesTruncated?: boolean;
  /** `find`: the limit of paths that ended the search. */
  resultLimitReached?: number;
  /** `grep`, `find`: what the search left out. */
  leftOut?: LeftOut;
  /** `ls`: the limit of entries at which the list ends. */
  entryLimitReached?: number;
  /** `grep`, `find`, `ls`: the limit at which the search ended early, `maxEntries` or `maxSearchMs`. */
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

/** A file or folder. Links are followed. */
export interface FileStat {
  type: 'file' | 'directory' | 'other';
  /** Bytes of a file; 0 for anything else. */
  size: number;
  /** Time of the last change, ISO 8601 in UTC. Null if the file system has none, or if a `Date` cannot represent it. */
  modified: string | null;
}

export interface MoveArguments {
  from: string;
  /** The whole new path, not only a folder. */
  to: string;
  /** Whether to replace an existing file. Default `false`. */
  overwrite?: boolean | null | undefined;
}

export interface RemoveArguments {
  path: string;
  /** Whether to remove a folder that is not empty. Default `false`. */
  recursive?: boolean | null | undefined;
}

export interface GrepArguments {
  /**
   * A regular expression in the syntax of Rust's `regex` crate: linear time, no look-around, no back-references. Each
   * line is matched separately, also by `\A` and `\z`.
   */
  pattern: string;
  /** The folder or file to search. Default: the root. */
  path?: string | null | undefined;
  /**
   * Glob of the files to search: `*.ts` at any depth, `src/**` below the searched folder, `!*.min.js` for all except
   * these.
   */
  glob?: string | null | undefined;
  /** Whether to ignore case. Default `false`. */
  ignoreCase?: boolean | null | undefined;
  /** Whether the pattern is plain text. Default `false`. */
  literal?: boolean | null | undefined;
  /** Number of lines to show before and after each match. Default 0. */
  context?: number | null | undefined;
  /** Maximum number of matches. Default 100. */
  limit?: number | null | undefined;
}

export interface FindArguments {
  /** A glob. Without a slash it matches names at any depth, with a slash it matches paths below the searched folder. */
  pattern: string;
  /** The folder to search. Default: the root. */
  path?: string | null | undefined;
  /** Maximum number of paths. Default 1,000. */
  limit?: number | null | undefined;
}

export interface LsArguments {
  /** The folder to list. Default: the root. */
  path?: string | null | undefined;
  /** Maximum number of entries. Default 500. */
  limit?: number | null | undefined;
}

/**
 * The tools that only read. Each takes one object of arguments, or its first arguments by position. Calls run on
 * separate threads. Within one set of tools, `write`, `edit`, `move` and `remove` run one at a time, in the order of
 * the calls. Sets of tools are served in rotation. When a run is over, its searches end, and calls that
 * have not started do not start.
 *
 * Results have one name per line. A name with control characters, or one that begins with a quotation mark, is shown as
 * a JSON string.
 *
 * A call that fails rejects with an `Error`. Its message is written for models. It names paths as in the call, and
 * never those of the host. Its `code` is one of:
 *
 * - `ENOENT`, `EACCES`, `ENOTDIR`, `EISDIR`, `ENAMETOOLONG`, `ENOSPC`, `EROFS`, `EIO`: errors of the operating system
 * - `ERR_PATH_ESCAPES_ROOT`, `ERR_INVALID_PATH`: the path leads outside the root, or is not a path
 * - `ERR_NOT_A_FILE`: a pipe, a socket or a device
 * - `ERR_BINARY_FILE`: neither UTF-8 text nor an image. The message names UTF-16
 * - `ERR_FILE_TOO_LARGE`: larger than `maxFileBytes` or `maxImageBytes`
 * - `ERR_OFFSET_BEYOND_END`: `read` starts after the last line
 * - `ERR_TEXT_NOT_FOUND`, `ERR_TEXT_NOT_UNIQUE`, `ERR_NO_CHANGE`: `edit` finds no place, finds several places, or has
 *   nothing to change
 * - `EEXIST`, `ENOTEMPTY`, `EINVAL`, `EXDEV`, `ERR_TOO_MANY_ENTRIES`: `move`, `remove`
 * - `ERR_INVALID_JSON`: `readJson`
 * - `ERR_INVALID_PATTERN`: `grep`, `find`
 * - `ECANCELED`: the run that made the call is over
 * - `ERR_INTERNAL`: a bug in the tool; please report it
 *
 * Wrong arguments cause a `TypeError` or `RangeError` that names the tool and the argument, without a code.
 */
export type ReadOnlyFileTools = {
  /**
   * Returns lines of a text file, or an image. The type is detected from the content, not from the name. Invalid UTF-8
   * is shown as U+FFFD. A byte order mark is not shown. UTF-16 text, and a file with null bytes at its start, is
   * refused. If the text ends early, its last line says how to read on.
   */
  read(args: ReadArguments): Promise<FileToolResult>;
  read(path: string, offset?: number | null, limit?: number | null): Promise<FileToolResult>;
  /**
   * For code: returns the whole text of a UTF-8 file, without a byte order mark. Nothing is truncated: a file that is
   * larger than `maxFileBytes`, or is not UTF-8, is an error.
   */
  readText(args: { path: string } | string): Promise<string>;
  /**
   * For code: returns the value of a JSON file of up to 4 MiB, 120,000 elements and members, and 1,000 levels. For a
   * larger file, use `JSON.parse(await readText(path))` in guest code.
   */
  readJson(args: { path: string } | string): Promise<unknown>;
  /** For code: returns all lines of a UTF-8 file of up to 4 MiB and 500,000 lines, without their line endings. */
  readLines(args: { path: string } | string): Promise<string[]>;
  /** For code: returns the content of a file. */
  readBytes(args: { path: string } | string): Promise<Uint8Array>;
  /** Describes the file or folder at a path. */
  stat(args: { path: string } | string): Promise<FileStat>;
  /**
   * Returns matching lines as `path:12: line`, and lines around them as `path-11- line`, sorted by path. Paths are
   * relative to the searched folder. Leaves out files that `.gitignore` excludes, `.git`, `node_modules`, links, files
   * with null bytes, UTF-16 text, files larger than `maxFileBytes`, and what cannot be read. A second block of text and
   * `details.leftOut` have the counts. A byte order mark is not part of the first line. Hidden files are searched. In
   * lines longer than 16 KiB, a match longer than 4 KiB may be missed.
   */
  grep(args: GrepArguments): Promise<FileToolResult>;
  grep(pattern: string, path?: string | null): Promise<FileToolResult>;
  /**
   * Returns the paths of matching files, folders (with a slash at the end) and links, relative to the searched folder.
   * Leaves out files that `.gitignore` excludes, `.git`, `node_modules`, and the contents of folders that cannot be
   * listed. A second block of text and `details.leftOut` have the counts. Does not follow links. Hidden files are
   * found.
   */
  find(args: FindArguments): Promise<FileToolResult>;
  find(pattern: string, path?: string | null): Promise<FileToolResult>;
  /**
   * Returns the names in a folder in alphabetical order, including hidden ones. Folders and links to folders end with a
   * slash.
   */
  ls(args?: LsArguments): Promise<FileToolResult>;
  ls(path?: string | null): Promise<FileToolResult>;
};

/** All file tools. */
export type FileTools = ReadOnlyFileTools & {
  /**
   * Creates a file, with its parent folders, or replaces it. The file gets its name only when it is complete. A
   * replaced file keeps its permissions, owner and group. If the process may not set these, it overwrites the old file
   * in place instead. A link to a file within the root stands for that file. A link that leads nowhere is replaced. A
   * replaced file keeps a byte order mark of UTF-8, unless `content` is empty.
   */
  write(args: WriteArguments): Promise<FileToolResult>;
  write(path: string, content: string): Promise<FileToolResult>;
  /**
   * Replaces the only part of a UTF-8 text that matches `oldText`. Writes the file as `write` does.
   *
   * Different line endings match each other, and new lines get the line ending of the file. If there is no exact match,
   * these differences are ignored: spaces at the ends of lines, typographic quotes, Unicode dashes, special spaces,
   * full-width characters, and other compatible forms (NFKD). If such a search finds a second match, even an
   * overlapping one, the call fails. The message then says which characters of that match differ.
   *
   * If nothing matches, the message describes the first passage of a file of up to 1 MiB that looks the same, with the
   * code points that differ. Such a passage has other white space, invisible characters, or letters that look alike
   * (UTS 39). It is not edited.
   */
  edit(args: EditArguments): Promise<FileToolResult<EditDetails>>;
  edit(path: string, oldText: string, newText: string): Promise<FileToolResult<EditDetails>>;
  /**
   * Moves a file, a link or a folder to another path, and creates the parent folders of that path. An existing file is
   * replaced only if `overwrite` is set and no folder is moved; anything else that exists is never replaced. Cannot
   * move to another file system, such as a mount below the root.
   */
  move(args: MoveArguments): Promise<FileToolResult>;
  move(from: string, to: string): Promise<FileToolResult>;
  /** Removes a file, a link itself, or a folder. A folder that is not empty is removed only with `recursive`. */
  remove(args: RemoveArguments): Promise<FileToolResult>;
  remove(path: string): Promise<FileToolResult>;
};
