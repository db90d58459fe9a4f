import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Program names on the search path, the smallest program first. */
const NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge-stable',
];

/** The advice when no browser is found. */
const INSTALL =
  'install Chrome or Chromium (Debian: apt-get install chromium-headless-shell), or name the program with the ' +
  'option `executablePath` or the environment variable CHROME_PATH';

/**
 * Path of the browser's program: the caller's path, otherwise CHROME_PATH, otherwise the first one in the usual places.
 *
 * @throws {Error} that says what to install
 */
export function findChrome(executablePath: string | undefined): string {
  const named = executablePath ?? (process.env.CHROME_PATH || undefined);
  if (named !== undefined) {
    if (isProgram(named)) return named;
    const source =
      executablePath === undefined ? 'the environment variable CHROME_PATH' : 'the option `executablePath`';
    throw new Error(`there is no program at ${named}, which ${source} names; ${INSTALL}`);
  }
  const found = candidates().find(isProgram);
  if (found === undefined) throw new Error(`no Chrome was found; ${INSTALL}`);
  return found;
}

function candidates(): string[] {
  if (process.platform === 'win32') {
    const folders = [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA];
    return folders.flatMap((folder) =>
      folder === undefined
        ? []
        : [
            join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe'),
            join(folder, 'Chromium', 'Application', 'chrome.exe'),
            join(folder, 'Microsoft', 'Edge', 'Application', 'msedge.exe'),
          ],
    );
  }
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => NAMES.map((name) => join(folder, name)));
  if (process.platform !== 'darwin') return [...onPath, ...NAMES.map((name) => join('/usr/bin', name))];
  const apps = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
  const folders = ['/Applications', join(homedir(), 'Applications')];
  return [
    ...folders.flatMap((folder) => apps.map((app) => join(folder, `${app}.app`, 'Contents', 'MacOS', app))),
    ...onPath,
  ];
}

function isProgram(path: string) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
