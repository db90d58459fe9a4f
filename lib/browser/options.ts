import { describe } from '../contract/describe';
import { checkRows, checkRunOptions, optionsOf, record, refuseTypeCheck } from '../contract/options';
import { POLICY_NAMES, checkNetwork } from '../contract/network-policy';
import { checkPlan } from '../contract/plan-guard';
import { optionRow } from '../contract/option-table';
import { readLibraries } from './libraries';
import { Policy } from '../network/requests';
import { encode } from './values';
import type { Language, RunOptions } from '../contract/executor-options';
import type { CheckedRunOptions } from '../contract/options';
import type { AllowedHost, NetworkPolicy } from '../contract/network-policy';
import type { LogEntry, LogLevel } from '../contract/executor-types';
import type { OptionRow } from '../contract/option-table';
import type { OnToolCall } from '../contract/tool-types';
import type { Library } from './libraries';

/**
 * The network access of a page: the policy of `SESExecutor`, with other defaults. The page itself has no network. This
 * process makes the requests, at most 16 of a page at the same time, and ends them when the page ends. A response may
 * have 32 MiB. The requests and responses of a page that are in progress may have 64 MiB in total.
 */
export interface NetworkOptions extends Omit<NetworkPolicy, 'allow'> {
  /**
   * Hosts or origins that may be asked, such as `api.example.com`, `*.example.com` or `https://api.example.com`.
   * Redirects to other origins are refused. Unencrypted origins are possible only on this machine, such as
   * `http://localhost:8080`: pages are secure contexts, and Chrome blocks their other unencrypted requests. Names must
   * lead to public addresses, or to an address or a range in the list. Default none.
   */
  allow?: readonly string[] | undefined;
  /** Default: the methods that Chrome sends to other origins, `DELETE`, `GET`, `HEAD`, `PATCH`, `POST` and `PUT`. */
  methods?: readonly string[] | undefined;
  /** Maximum bytes of a response after decompression, and of a request. Default and maximum 32 MiB for responses. */
  maxBytes?: number | undefined;
  /**
   * Maximum number of requests in one run. Further ones are refused. Default: none; a run that makes more than 1,000
   * requests plus one per tool call fails.
   */
  maxRequests?: number | undefined;
  /**
   * Called before each request, including requests that follow redirects. `false` refuses the request. Default: no
   * request is refused.
   */
  onRequest?: ((request: { url: string; method: string; headers: Record<string, string> }) => unknown) | undefined;
}

/** Options of a {@link BrowserExecutor}. All are optional and fixed at construction. */
export interface BrowserExecutorOptions {
  /**
   * `"run"`: each run has its own page, which is closed when the run ends. Nothing of an earlier run is left, including
   * storage and cookies. `"session"`: one page until `cleanup()`, in which variables and functions stay available.
   * Default `"run"`.
   */
  isolation?: 'run' | 'session' | undefined;
  /** Deadline of one run in milliseconds. An integer from 1 to 2,147,483,647; default 30,000. */
  timeoutMs?: number | undefined;
  /** As for `SESExecutor`. Default `"reject"`. */
  runConcurrency?: 'reject' | 'queue' | undefined;
  /** As for `SESExecutor`. Default 0. */
  maxQueuedRuns?: number | undefined;
  /** As for `SESExecutor`. Default 262,144 (256 KiB). */
  maxLogBytes?: number | undefined;
  /** Console levels that are collected. Default all. */
  collectConsoleLevels?: readonly LogLevel[] | undefined;
  /**
   * Memory limit in MiB for the page's process, and separately for the data of pages in the browser's own processes. A
   * run that exceeds it fails with `ERR_MEMORY_LIMIT_EXCEEDED`. Memory is checked every 50 ms, so a page may exceed the
   * limit for a moment. Between the runs of a session it is checked every 500 ms, and the next run fails. Linux only.
   * An integer from 64 to 65,536; default 512.
   */
  memoryLimitMb?: number | undefined;
  /** As for `SESExecutor`. Default 1,048,576 (1 MiB). */
  maxCodeBytes?: number | undefined;
  /** As for `SESExecutor`. Default 1,000. */
  maxToolCalls?: number | undefined;
  /** As for `SESExecutor`. Default 64. */
  maxConcurrentToolCalls?: number | undefined;
  /**
   * Milliseconds within which a tool has to answer a call; see `SESExecutor`. While a run only waits for such tools,
   * only the page's processor time counts against `timeoutMs` (on Linux; elsewhere all elapsed time counts). Default:
   * not limited.
   */
  toolTimeoutMs?: number | undefined;
  /** Maximum UTF-16 units of one value in serialized form. Default 16,777,216 (16 MiB), at most 256 MiB. */
  maxTransferBytes?: number | undefined;
  /** As for `SESExecutor`. Default `false`. */
  autoInit?: boolean | undefined;
  /** As for `SESExecutor`, with `isolation: 'session'`: the next call creates a new page. Default `false`. */
  recover?: boolean | undefined;
  /** As for `SESExecutor`. Default `"auto"`. */
  language?: Language | undefined;
  /** As for `SESExecutor`. */
  onToolCall?: OnToolCall | undefined;
  /** As for `SESExecutor`. */
  onLog?: ((entry: LogEntry) => void) | undefined;
  /**
   * Path of the browser's executable. Default: the environment variable CHROME_PATH, otherwise the first browser in the
   * usual locations.
   */
  executablePath?: string | undefined;
  /**
   * Whether Chrome uses its sandbox. Use `false` only for code that you trust like your own; it emits a warning.
   * Default `true`.
   */
  sandbox?: boolean | undefined;
  /**
   * Whether runs use a `SESExecutor`, with a warning, if no browser can be started. `false`: `init()` fails with
   * `ERR_BROWSER_INIT_FAILED`. Default `true`.
   */
  fallback?: boolean | undefined;
  /**
   * Number of pages that are created ahead, an integer from 0 to 16. Executors with the same options share them.
   * Default 1. Unless it is 0, the number grows to the highest number of concurrent runs in the last 10 to 20 seconds,
   * at most 8.
   */
  warmTabs?: number | undefined;
  /** Folder for artifacts, which is created if necessary. Default: none; artifacts then have their bytes in `data`. */
  artifactsDir?: string | undefined;
  /**
   * Maximum total bytes of the artifacts of one run. A run may have at most 1,000 artifacts. Default 67,108,864 (64
   * MiB), at most 256 MiB.
   */
  maxArtifactBytes?: number | undefined;
  /** The network access of pages. Default none. */
  network?: NetworkOptions | undefined;
  /**
   * Scripts that each page runs before code: paths, file URLs or texts. They are your own code, so they are not
   * checked, and `maxCodeBytes` does not apply. A script defines globals, as builds named `umd`, `iife` or `min` do; ES
   * modules are not accepted. A script that fails makes `run()` reject with a `TypeError`. Without a browser they are
   * ignored.
   */
  libraries?: readonly (string | URL)[] | undefined;
}

/** Limits and input of one run. The limits are those of `SESExecutor`. */
export interface BrowserRunOptions extends Omit<RunOptions, 'maxOperations' | 'typecheck'> {
  /** Value of the global `input`. */
  input?: unknown;
}

/**
 * Hosts that Chrome trusts without encryption. A page is a secure context, and can only send unencrypted requests to
 * these.
 */
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|(?:.+\.)?localhost)$/;

const METHODS = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'];
/** Pages have their own limits of responses, of what is in progress and of requests: `network.ts`, `run.ts`. */
const MAX_BYTES = 64 << 20;
const MANY = Number.MAX_SAFE_INTEGER;

const shared: (name: string, changes?: Partial<OptionRow>) => OptionRow = (name, changes = {}) => ({
  ...optionRow(name),
  ...changes,
});
const own: (name: string, type: OptionRow['type'], facts?: Partial<OptionRow>) => OptionRow = (
  name,
  type,
  facts = {},
) => ({ name, type, brief: '', doc: '', rust: null, ...facts });

type WithoutDefault = 'toolTimeoutMs' | 'onToolCall' | 'onLog' | 'executablePath' | 'artifactsDir';

/** The option `network`, checked. */
type Network = { origins: string[]; policy: Policy; onRequest: NetworkOptions['onRequest'] };

/**
 * Options with their defaults.
 *
 * @internal
 */
export type CheckedBrowserOptions = Required<Omit<BrowserExecutorOptions, WithoutDefault | 'network' | 'libraries'>> &
  Pick<BrowserExecutorOptions, WithoutDefault> &
  Network & { libraries: Library[] };

/**
 * Options of one run. `input` is serialized.
 *
 * @internal
 */
export interface CheckedBrowserRunOptions extends CheckedRunOptions {
  input: string;
}

/**
 * Options of one run, with those of the executor where it has none.
 *
 * @internal
 */
export interface RunSettings extends CheckedBrowserRunOptions {
  timeoutMs: number;
  language: Language;
}

/** The common executor options that apply here, and the browser's own options. */
const ROWS = [
  shared('timeoutMs', { fallback: 30_000 }),
  shared('runConcurrency'),
  shared('maxQueuedRuns'),
  shared('maxLogBytes'),
  shared('collectConsoleLevels'),
  shared('memoryLimitMb', { fallback: 512, min: 64 }),
  shared('maxCodeBytes'),
  shared('maxToolCalls'),
  shared('maxConcurrentToolCalls'),
  shared('toolTimeoutMs'),
  shared('maxTransferBytes', { fallback: 16 * (1 << 20), max: 256 * (1 << 20) }),
  shared('autoInit'),
  shared('recover'),
  shared('language'),
  shared('onToolCall'),
  shared('onLog'),
  own('isolation', 'oneOf', { values: ['run', 'session'], fallback: 'run' }),
  own('executablePath', 'string'),
  own('sandbox', 'boolean', { fallback: true }),
  own('fallback', 'boolean', { fallback: true }),
  own('warmTabs', 'integer', { min: 0, max: 16, fallback: 1 }),
  own('artifactsDir', 'string'),
  own('maxArtifactBytes', 'integer', { min: 1024, max: 256 * (1 << 20), fallback: 64 * (1 << 20) }),
];

/**
 * @internal
 * @returns the options with defaults
 * @throws {TypeError | RangeError}
 */
export function checkBrowserOptions(options: unknown): CheckedBrowserOptions {
  const { network, libraries, ...checked } = checkRows(options, ROWS, ['network', 'libraries']);
  const rows = checked as Omit<CheckedBrowserOptions, keyof Network | 'libraries'>;
  return { ...rows, ...checkedNetwork(network), libraries: readLibraries(libraries) };
}

function checkedNetwork(network: unknown): Network {
  const { onRequest, ...given } = record(network, 'options.network', [...POLICY_NAMES, 'onRequest']);
  const { allow = [], methods = METHODS, maxBytes = MAX_BYTES, maxRequests = MANY } = given;
  if (!Array.isArray(allow)) throw new TypeError(`options.network.allow must be an array, got ${describe(allow)}`);
  if (onRequest !== undefined && typeof onRequest !== 'function') {
    throw new TypeError(`options.network.onRequest must be a function, got ${describe(onRequest)}`);
  }
  allow.forEach(refuseWrongEntry);
  const checked = checkNetwork({ ...given, allow, methods, maxBytes, maxRequests });
  const origins = checked.hosts.map(originOf);
  return { origins: [...new Set(origins)].sort(), policy: new Policy(checked), onRequest };
}

/**
 * Refuses entries that a page cannot use, besides those that no policy has.
 *
 * @throws {TypeError | RangeError}
 */
function refuseWrongEntry(entry: unknown, index: number) {
  const place = `options.network.allow[${index}]`;
  const message = `${place} must be an origin such as "https://api.example.com", got ${describe(entry)}`;
  if (typeof entry !== 'string') throw new TypeError(message);
  const isOrigin = entry.includes('://');
  let host: AllowedHost | undefined;
  try {
    [host] = checkNetwork({ allow: [entry] }).hosts;
  } catch {
    throw new RangeError(message);
  }
  // A range of addresses.
  if (host === undefined) return;
  // Everything else has a meaning in a content security policy, as wildcards of origins have.
  if ((isOrigin && host.isWildcard) || !/^[\w.:-]+$/.test(host.hostname)) throw new RangeError(message);
  if (host.protocol === 'http:' && !LOOPBACK.test(host.hostname)) {
    throw new RangeError(
      `${place} must be an origin with https:, or one of this machine such as "http://localhost:8080", got ${describe(entry)}: pages are secure contexts, in which Chrome blocks all other requests`,
    );
  }
}

/** The source for a content security policy. */
function originOf({ protocol, hostname, isWildcard, port }: AllowedHost) {
  const name = isWildcard ? `*${hostname}` : hostname.includes(':') ? `[${hostname}]` : hostname;
  const isUsual = port === (protocol === 'https:' ? '443' : '80');
  return `${protocol}//${name}${isUsual ? '' : `:${port}`}`;
}

/**
 * @param options of one run
 *
 * @internal
 */
export function checkBrowserRunOptions(options: unknown, maxTransferBytes: number): CheckedBrowserRunOptions {
  const { input, ...others } = options === undefined ? {} : optionsOf(options, 'options', ['input', 'signal']);
  const checked = checkRunOptions(options === undefined ? undefined : others);
  refuseTypeCheck(checked, 'pages');
  const plan = checked.plan === undefined ? undefined : checkPlan(checked.plan, 'options.plan');
  return { ...checked, plan, input: encode([input], 'input', maxTransferBytes) };
}
