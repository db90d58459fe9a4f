// The tools as programs call them: arguments and results.

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

/** How text was truncated, at whole lines. */
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
   * A regular expression in the syntax of Rust's `regex` crate: linear time, no look-around, no back-references. Each line is
   * matched separately, also by `\A` and `\z`.
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
 * The tools. Each takes one object of arguments, or the first ones by position. Calls run on separate threads.
 * Within one set of tools, `write`, `edit`, `move` and `remove` run one at a time, in the order of the calls. Sets of tools take
 * turns. When a run is over, its searches end, and calls that have not started do not start.
 *
 * A name with control characters is shown as a JSON text, and so is one that begins with a quote: results have a line per name.
 *
 * A call that fails rejects with an `Error` whose text is meant for the model, names paths as the call gave them and
 * never those of the host, and whose `code` is one of:
 *
 * - `ENOENT`, `EACCES`, `ENOTDIR`, `EISDIR`, `ENAMETOOLONG`, `ENOSPC`, `EROFS`, `EIO`: as the operating system has them;
 * - `ERR_PATH_ESCAPES_ROOT`, `ERR_INVALID_PATH`: the path leads out of the root, or is not a path;
 * - `ERR_NOT_A_FILE`, `ERR_BINARY_FILE`, `ERR_FILE_TOO_LARGE`: a pipe, a socket or a device; neither text nor an image;
 *   beyond `maxFileBytes` or `maxImageBytes`;
 * - `ERR_OFFSET_BEYOND_END`: `read` from behind the last line;
 * - `ERR_TEXT_NOT_FOUND`, `ERR_TEXT_NOT_UNIQUE`, `ERR_NO_CHANGE`: `edit` has no one place, or nothing to change;
 * - `EEXIST`, `ENOTEMPTY`, `EINVAL`, `EXDEV`, `ERR_TOO_MANY_ENTRIES`: `move`, `remove`;
 * - `ERR_INVALID_JSON`: `readJson`;
 * - `ERR_INVALID_PATTERN`: `grep`, `find`;
 * - `ECANCELED`: the run that made the call is over;
 * - `ERR_INTERNAL`: a bug in the tool; please report it.
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
