import type { GuestGlobal } from './executor-types';
import { DEFAULT_METHODS } from './network-policy';
import type { NetworkPolicy } from './network-policy';

const NAMES: Record<Exclude<GuestGlobal, 'fetch'>, string> = {
  timers: 'setTimeout and setInterval',
  crypto: 'crypto (randomUUID, getRandomValues, subtle.digest)',
  performance: 'performance.now',
  abort: 'AbortController',
};
/** Hosts that are named for models. */
const MAX_HOSTS = 20;

/** What code has of the option `globals`, and what it does not have, for models. */
export interface GlobalsText {
  /** `There is no network, no timer,` as far as it holds, as words between commas; empty if there are both */
  missing: string[];
  /** a sentence; empty without the option */
  given: string;
}

export function globalsText(
  globals: readonly GuestGlobal[] = [],
  network: Pick<NetworkPolicy, 'allow' | 'methods'> | undefined = undefined,
): GlobalsText {
  const missing = [
    ...(globals.includes('fetch') ? [] : ['no network']),
    ...(globals.includes('timers') ? [] : ['no timer']),
  ];
  const names = globals.flatMap((group) => (group === 'fetch' ? [] : [NAMES[group]]));
  const has = names.length === 0 ? '' : ` Code has ${names.join(', ')}.`;
  return {
    missing,
    given: `${has}${globals.includes('fetch') ? ` ${reachText('`fetch` reaches', network)}` : ''}`.trim(),
  };
}

/** @param means what makes requests, and a verb */
export function reachText(means: string, network: Pick<NetworkPolicy, 'allow' | 'methods'> | undefined): string {
  const { allow = [], methods = DEFAULT_METHODS } = network ?? {};
  if (allow.length === 0) return `${means} no host.`;
  const more = allow.length > MAX_HOSTS ? ` and ${allow.length - MAX_HOSTS} more` : '';
  return `${means} only ${allow.slice(0, MAX_HOSTS).join(', ')}${more}, with ${methods.join(', ')}.`;
}
