import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';

import { clearTimeout, setTimeout } from '../contract/clock';
import { Connection } from './connection';
import { findChrome } from './browser-path';
import { makeProfile, noteBrowser, removeProfile, sweepProfiles } from './profiles';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { ChildProcess } from 'node:child_process';

/** Time limit for a browser's first answer. */
const START_MS = 60_000;
/** Maximum bytes that are kept of the browser's error output. */
const MAX_STDERR = 16_384;
/** Maximum UTF-16 units of that output in an error message. */
const MAX_REASON = 400;
/** Minimum shared memory for Chrome. Containers have only 64 MiB. */
const MIN_SHM_BYTES = 512 << 20;
/** User id of `nobody` in Debian and most other distributions. */
const NOBODY = 65_534;

/**
 * Starts a program in a network namespace that an unprivileged process can create. No network interface in it is up.
 */
const UNSHARE = ['unshare', '--user', '--map-current-user', '--net', '--'];

const FLAGS = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-pings',
  '--no-service-autorun',
  '--mute-audio',
  '--hide-scrollbars',
  '--disable-background-networking',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-hang-monitor',
  '--disable-popup-blocking',
  '--disable-prompt-on-repost',
  '--disable-sync',
  '--disable-speech-api',
  '--metrics-recording-only',
  '--password-store=basic',
  '--use-mock-keychain',
  '--enable-blink-features=PreciseMemoryInfo',
  // A graphics card may be missing, and guests must not reach one that is present.
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  // The pages are not displayed, so each can do without one graphics context. Without a compositor thread there would
  // be none.
  '--disable-gpu-compositing',
  // Tabs are matched to processes by the order of creation. This works because there are no other renderers: frames run
  // in the process of their page, and a page's speculation rules start none either.
  '--enable-features=PrefetchUseContentRefactor:start_spare_renderer/false',
  '--disable-features=Prerender2,Prerender2InHeadlessMode,SpareRendererForSitePerProcess,IsolateSandboxedIframes,Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,InterestFeedContentSuggestions,AcceptCHFrame,HttpsUpgrades,DIPS,DeclarativePerformanceObserver',
  // Requests that pass all other barriers go to a proxy that does not exist, and names are not resolved.
  '--proxy-server=http://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  // Peer connections can only use that proxy.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
];

/** A running browser. */
export interface Running {
  connection: Connection;
  /** of the started process, and number of its process group */
  pid: number;
  version: string;
  /** whether it has its own network namespace */
  hasOwnNetwork: boolean;
  /** ends it immediately */
  kill: () => void;
}

/**
 * @param onEnd called once, when it has ended
 * @param onConnection called when commands can be sent; the browser handles them after its start
 * @returns rejects with an Error that says why no browser is available
 */
export async function launch(
  { executablePath, sandbox }: { executablePath?: string | undefined; sandbox: boolean },
  onEnd: () => void,
  onConnection: (connection: Connection) => void,
): Promise<Running> {
  const program = findChrome(executablePath);
  const isRoot = process.getuid?.() === 0;
  // Chrome's sandbox does not work for root.
  const owner = isRoot && sandbox ? nobody() : undefined;
  sweepProfiles();
  const profile = makeProfile(owner);
  const hasOwnNetwork = canUnshare(owner);
  const command = [
    ...(hasOwnNetwork ? UNSHARE : []),
    program,
    ...FLAGS,
    ...(sandbox ? [] : ['--no-sandbox']),
    ...(hasSharedMemory() ? [] : ['--disable-dev-shm-usage']),
    `--user-data-dir=${profile}`,
    '--no-startup-window',
  ];
  const child = spawn(command[0], command.slice(1), {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    cwd: profile,
    env: environment(profile),
    // Its processes form a group, so that they can be ended together.
    detached: process.platform !== 'win32',
    windowsHide: true,
    ...owner,
  });
  if (child.pid !== undefined) noteBrowser(profile, child.pid);
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(`it could not be started: ${error.message}`));
    child.once('exit', (code, signal) => resolve(`it has ended with ${signal ?? `exit status ${code}`}`));
  });
  // Without free file descriptors, the pipes are missing.
  if (!child.stderr) {
    removeProfile(profile);
    throw new Error(`${program} cannot be used: ${await ended}`);
  }
  const said = collectStderr(child.stderr);
  const [, , , writable, readable] = child.stdio as unknown as Socket[];
  const kill = () => killGroup(child);
  const connection = new Connection(writable, readable, kill);
  void ended.then(() => {
    connection.close();
    removeProfile(profile);
    onEnd();
  });
  // This thread exits before it can receive the browser's exit event.
  const leave = () => {
    kill();
    removeProfile(profile);
  };
  process.once('exit', leave);
  child.once('exit', () => process.removeListener('exit', leave));
  const late = timer(START_MS, `it did not answer within ${START_MS} ms`);
  const first = connection.send('Browser.getVersion', {}).catch(() => ended);
  onConnection(connection);
  const answer = await Promise.race([first, ended, late.promise]);
  late.stop();
  if (typeof answer === 'string') {
    kill();
    throw new Error(`${program} cannot be used: ${answer}${reasonIn(said())}`);
  }
  child.unref();
  (child.stderr as Socket).unref();
  connection.unref();
  return { connection, pid: child.pid as number, version: answer.product, hasOwnNetwork, kill };
}

/** The unprivileged user. */
function nobody() {
  try {
    const [, , uid, gid] = /^nobody:(.*):(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'latin1')) ?? [];
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  } catch {
    // The file may not exist.
  }
  return { uid: NOBODY, gid: NOBODY };
}

/** Whether processes can create namespaces, by user. */
const unsharing: Map<number | undefined, boolean> = new Map();

function canUnshare(owner: { uid: number; gid: number } | undefined) {
  if (process.platform !== 'linux') return false;
  const known = unsharing.get(owner?.uid);
  if (known !== undefined) return known;
  const asked = spawnSync(UNSHARE[0], [...UNSHARE.slice(1), 'true'], { stdio: 'ignore', cwd: '/', ...owner });
  // A test that failed for lack of file descriptors may succeed later.
  if (asked.error === undefined) unsharing.set(owner?.uid, asked.status === 0);
  return asked.status === 0;
}

function hasSharedMemory() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= MIN_SHM_BYTES;
  } catch {
    return process.platform !== 'linux';
  }
}

/** The environment variables that the browser needs. It must not receive secrets of the host. */
function environment(profile: string) {
  const kept = ['PATH', 'LANG', 'LANGUAGE', 'LC_ALL', 'TZ', 'FONTCONFIG_PATH', 'FONTCONFIG_FILE', 'LD_LIBRARY_PATH'];
  const windows = ['SystemRoot', 'TEMP', 'TMP', 'LOCALAPPDATA', 'PROGRAMFILES'];
  const env: Record<string, string> = {};
  for (const name of process.platform === 'win32' ? [...kept, ...windows] : kept) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return process.platform === 'win32' ? env : { ...env, HOME: profile, TMPDIR: profile };
}

function collectStderr(stream: Readable) {
  let said = '';
  stream.setEncoding('utf8');
  stream.on('data', (text) => (said = (said + text).slice(-MAX_STDERR)));
  stream.on('error', () => {});
  return () => said;
}

function reasonIn(said: string) {
  // Without D-Bus, as in containers, Chrome prints errors and continues.
  const isReason = (line: string) =>
    /FATAL|ERROR|sandbox|error while loading|Permission/i.test(line) && !line.includes('Failed to connect to the bus');
  const lines = said.split('\n').filter(isReason);
  const line = lines.find((found) => /sandbox|FATAL|loading/i.test(found)) ?? lines.at(-1);
  if (line === undefined) return '';
  const text = line.replace(/^\[[^\]]*\]\s*/, '');
  // Cuts at the end of a sentence.
  return `: ${text.length <= MAX_REASON ? text : text.slice(0, MAX_REASON).replace(/\.\s[^.]*$/, '')}`;
}

function killGroup({ pid }: ChildProcess) {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

function timer(ms: number, value: string) {
  let handle: NodeJS.Timeout | undefined;
  const promise = new Promise((resolve) => (handle = setTimeout(resolve, ms, value)));
  return { promise, stop: () => clearTimeout(handle) };
}
