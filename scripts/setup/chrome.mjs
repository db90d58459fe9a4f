// A browser for `ses-executor/browser`, and fonts, without which other scripts than Latin are boxes: installed where
// that can be done, which is on Debian by root. Elsewhere, and where apt-get cannot do it, whatever Chrome there is
// serves.

import { accessSync } from 'node:fs';

import { run, step, tell } from './report.mjs';

const FONTS = ['fonts-wqy-microhei', 'fonts-noto-color-emoji', 'fonts-liberation'];
/** A file of each font, to see whether it is there. */
const FONT_FILES = [
  '/usr/share/fonts/truetype/wqy/wqy-microhei.ttc',
  '/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf',
  '/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf',
];

export async function installChrome() {
  const chrome = await missingChrome();
  const canInstall = process.getuid?.() === 0 && exists('/etc/debian_version') && exists('/usr/bin/apt-get');
  if (!canInstall) {
    if (chrome !== undefined) tell(`the tests of the browser need Chrome: ${chrome}`);
    return;
  }
  const packages = [
    ...(chrome === undefined ? [] : ['chromium-headless-shell']),
    ...(FONT_FILES.every(exists) ? [] : FONTS),
  ];
  if (packages.length === 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, output } = await step('Chrome and fonts', async (say) => {
    await run('apt-get', ['update'], { env, onLine: say });
    return run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env, onLine: say });
  });
  if (status === 0) return;
  const [reason] = output.match(/^E: .*/m) ?? [`exit status ${status}`];
  tell(
    `apt-get could not install ${packages.join(' ')} (${reason}), and the tests of the browser need them` +
      (chrome === undefined ? '' : `: ${chrome}`),
  );
}

/** Why there is no browser; undefined if there is one. */
async function missingChrome() {
  // Compiled by an earlier step.
  const { default: browserPath } = await import('../../build/browser/browser-path.js');
  try {
    browserPath.findChrome(undefined);
    return undefined;
  } catch (error) {
    return error.message;
  }
}

function exists(path) {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}
