// The schemas of Kubernetes, which the manifests of deploy/ are validated with: from PyPI by pip, in the user's cache.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { step, tell } from './report.mjs';
import { cacheFolder, placeFromWheel } from './wheel.mjs';

const VERSION = '1.37';
const WHEEL = {
  requirement: `kubernetes-validate==${VERSION}.0`,
  digests: ['85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9'],
  // The strict ones refuse unknown fields.
  member: `kubernetes_validate/kubernetes-json-schema/v${VERSION}.0-local-strict/_definitions.json`,
};

/** Where the schemas are or would be: a JSON file with one schema per kind in `$defs`. */
export function kubernetesSchemasPath() {
  return join(cacheFolder(), `kubernetes-${VERSION}.json`);
}

export async function installKubernetesSchemas() {
  const path = kubernetesSchemasPath();
  if (existsSync(path)) return;
  const reason = await step('schemas of Kubernetes', (say) => placeFromWheel(WHEEL, path, { say }));
  if (reason !== undefined) tell(`the schemas of Kubernetes could not be installed (${reason}), and a test needs them`);
}
