/** The variables that V8 derives its locale from. */
const LOCALE = ['LC_ALL', 'LC_MESSAGES', 'LANG'];

let known: string[] | undefined;

/**
 * Time zone and locale of this process. Guests in a worker process get the same ones: that process has neither an
 * environment nor files.
 *
 * @param timeZone in place of the one of this process
 * @returns `NAME=value` each
 */
export function localeEnvironment(timeZone?: string): string[] {
  if (timeZone !== undefined) return [`TZ=${timeZone}`, ...localeEnvironment().slice(1)];
  if (known !== undefined) return known;
  const zone = `TZ=${Intl.DateTimeFormat().resolvedOptions().timeZone}`;
  const locale = LOCALE.filter((name) => process.env[name]).map((name) => `${name}=${process.env[name]}`);
  known = [zone, ...locale];
  return known;
}
