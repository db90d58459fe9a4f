// All the set-up that `npm run demo`, `npm test` and `npm run build` need, on a clean clone and later: npm packages,
// V8, `lib/` compiled, a browser and a broker for the tests, the native build. Says what is missing in one line, and
// takes no time if nothing has changed. Uses no npm package before it has installed them.
//
// `--print-target-dir` only prints where cargo builds, for other calls of cargo.

import { fileURLToPath } from 'node:url';

import { compile } from './compile.mjs';
import { buildAddon, isAddonFresh, targetDir } from './setup/addon.mjs';
import { installBroker } from './setup/broker.mjs';
import { installChrome } from './setup/chrome.mjs';
import { installKubernetesSchemas } from './setup/kubernetes.mjs';
import { checkCompilers, checkNode, platform } from './setup/machine.mjs';
import { installPackages } from './setup/packages.mjs';
import { isV8Placed, placeV8 } from './setup/v8.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

if (process.argv.includes('--print-target-dir')) {
  console.log(targetDir(root));
} else {
  checkNode();
  const host = platform();
  const isFresh = isAddonFresh(root, host);
  // First, so that what is missing is known before the long steps.
  if (!isFresh) checkCompilers();
  await installPackages(root);
  await compile(root);
  await installChrome();
  await installBroker();
  await installKubernetesSchemas();
  // Elsewhere the crate `v8` downloads the archive of its platform.
  if (host.name === 'linux-x64-gnu' && !(isFresh && isV8Placed(root))) await placeV8(root);
  // Once more: what was installed may be what the build bakes in.
  if (!isAddonFresh(root, host)) {
    if (isFresh) checkCompilers();
    await buildAddon(root, host);
  }
}
