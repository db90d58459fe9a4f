import { describe } from '../contract/describe';
import { checkRows, checkRunOptions, optionsOf, record } from '../contract/options';
import { optionRow } from '../contract/option-table';
import { encode } from './values';
import type { OptionRow } from '../contract/option-table';

/**
 * Hosts that Chrome trusts without encryption. A page is a secure context, and can only send unencrypted requests to
 * these.
 */
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|(?:.+\.)?localhost)$/;

const shared: (name: string, changes?: Partial<OptionRow>) => OptionRow = (name, changes = {}) => ({
  ...optionRow(name),
  ...changes,
});
const own: (name: string, type: OptionRow['type'], facts?: Partial<OptionRow>) => OptionRow = (
  name,
  type,
  facts = {},
) => ({ name, type, brief: '', doc: '', rust: null, ...facts });

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
 * @returns the options with defaults
 * @throws {TypeError | RangeError}
 */
export function checkBrowserOptions(options: unknown): any {
  const { network, ...checked } = checkRows(options, ROWS, ['network']);
  return { ...checked, ...checkNetwork(network) };
}

function checkNetwork(network: unknown): { origins: string[]; onRequest: ((request: any) => unknown) | undefined } {
  const { allow = [], onRequest } = record(network, 'options.network', ['allow', 'onRequest']);
  if (!Array.isArray(allow)) throw new TypeError(`options.network.allow must be an array, got ${describe(allow)}`);
  if (onRequest !== undefined && typeof onRequest !== 'function') {
    throw new TypeError(`options.network.onRequest must be a function, got ${describe(onRequest)}`);
  }
  const origins = Array.from(allow, (origin, index) => {
    const message = `options.network.allow[${index}] must be an origin such as "https://api.example.com", got ${describe(origin)}`;
    if (typeof origin !== 'string') throw new TypeError(message);
    if (!URL.canParse(origin)) throw new RangeError(message);
    const url = new URL(origin);
    if (!['http:', 'https:'].includes(url.protocol) || url.href !== `${url.origin}/`) throw new RangeError(message);
    // Rejects wildcards, and all other characters with a meaning in a content security policy.
    if (!/^[\w.:[\]-]+$/.test(url.hostname)) throw new RangeError(message);
    if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
      throw new RangeError(
        `options.network.allow[${index}] must be an origin with https:, or one of this machine such as "http://localhost:8080", got ${describe(origin)}: pages are secure contexts, which Chrome lets request nothing else`,
      );
    }
    return url.origin;
  });
  return { origins: [...new Set(origins)].sort(), onRequest };
}

/** @param options of one run */
export function checkBrowserRunOptions(options: any, maxTransferBytes: number) {
  const { input, ...others } = options === undefined ? {} : optionsOf(options, 'options', ['input', 'signal']);
  const checked = checkRunOptions(options === undefined ? undefined : others);
  return { ...checked, input: encode([input], 'input', maxTransferBytes) };
}
