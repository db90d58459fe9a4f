import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';

import { clearTimeout, setTimeout } from '../contract/clock';
import { Connection } from './connection';
import { findChrome } from './browser-path';
import { makeProfile, noteBrowser, removeProfile, sweepProfiles } from './profiles';
import type { Readable } from 'node:stream';
import type { ChildProcess } from 'node:child_process';

/** How long a browser may take to answer for the first time. */
const START_MS = 60_000;
/** What is kept of what it says about its failure, in bytes. */
const MAX_STDERR = 16_384;
/** What of that is told, in UTF-16 units. */
const MAX_REASON = 400;
/** Shared memory below this is too little for it: containers have 64 MiB. */
const MIN_SHM_BYTES = 512 << 20;
/** Debian's and most others' `nobody`. */
const NOBODY = 65_534;

/**
 * The namespace of the network that an unprivileged process can give itself: one without any interface that is up.
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
  // There is no graphics card to rely on, and a guest has no business with the one that there is.
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  // Nobody looks at the pages, so that each has a graphics context less. Without a thread for frames there would be none.
  '--disable-gpu-compositing',
  // Processes of tabs are told by the order in which they are made: there are no others, and frames are in that of their page. What
  // speculation rules of a page ask for makes none, either.
  '--enable-features=PrefetchUseContentRefactor:start_spare_renderer/false',
  '--disable-features=Prerender2,Prerender2InHeadlessMode,SpareRendererForSitePerProcess,IsolateSandboxedIframes,Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,InterestFeedContentSuggestions,AcceptCHFrame,HttpsUpgrades,DIPS,DeclarativePerformanceObserver',
  // Requests that anything lets through meet a proxy that is not there; names have no addresses.
  '--proxy-server=http://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  // A peer connection finds no way but through that proxy.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
];

/** A browser that runs. */
export interface Running {
  connection: Connection;
  /** of the process that was started, and number of its group */
  pid: number;
  version: string;
  /** whether it has a namespace of its own for the network */
  hasOwnNetwork: boolean;
  /** ends it at once */
  kill: () => void;
}

/**
 * @param onEnd called once when it has ended
 * @param onConnection called when it can be sent what it will do once it has started
 * @returns rejects with an Error that says why there is no browser
 */
export async function launch(
  { executablePath, sandbox }: { executablePath: string | undefined; sandbox: boolean },
  onEnd: () => void,
  onConnection: (connection: Connection) => void,
): Promise<Running> {
  const program = findChrome(executablePath);
  const isRoot = process.getuid?.() === 0;
  // Chrome's sandbox is not for root.
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
    // Its processes are a group, which ends together.
    detached: process.platform !== 'win32',
    windowsHide: true,
    ...owner,
  });
  if (child.pid !== undefined) noteBrowser(profile, child.pid);
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(`it could not be started: ${error.message}`));
    child.once('exit', (code, signal) => resolve(`it has ended with ${signal ?? `exit status ${code}`}`));
  });
  // Where no descriptors are to be had there are no pipes.
  if (!child.stderr) {
    removeProfile(profile);
    throw new Error(`${program} cannot be used: ${await ended}`);
  }
  const said = collectStderr(child.stderr);
  const [, , , writable, readable] = child.stdio as any[];
  const kill = () => killGroup(child);
  const connection = new Connection(writable, readable, kill);
  void ended.then(() => {
    connection.close();
    removeProfile(profile);
    onEnd();
  });
  // This thread ends before it can hear of the browser's end.
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
  (child.stderr as any).unref();
  connection.unref();
  return { connection, pid: child.pid as number, version: answer.product, hasOwnNetwork, kill };
}

/** The user that has no rights. */
function nobody() {
  try {
    const [, , uid, gid] = /^nobody:(.*):(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'latin1')) ?? [];
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  } catch {
    // There need not be such a file.
  }
  return { uid: NOBODY, gid: NOBODY };
}

/** By user: whether processes may give themselves namespaces. */
const unsharing: Map<number | undefined, boolean> = new Map();

function canUnshare(owner: { uid: number; gid: number } | undefined) {
  if (process.platform !== 'linux') return false;
  const known = unsharing.get(owner?.uid);
  if (known !== undefined) return known;
  const asked = spawnSync(UNSHARE[0], [...UNSHARE.slice(1), 'true'], { stdio: 'ignore', cwd: '/', ...owner });
  // What has not been tried for lack of a descriptor may be possible later.
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

/** What of our environment it needs. Secrets of the host's are not its business. */
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
  // Where there is no D-Bus, as in containers, it says so and goes on.
  const isReason = (line: string) =>
    /FATAL|ERROR|sandbox|error while loading|Permission/i.test(line) && !line.includes('Failed to connect to the bus');
  const lines = said.split('\n').filter(isReason);
  const line = lines.find((found) => /sandbox|FATAL|loading/i.test(found)) ?? lines.at(-1);
  if (line === undefined) return '';
  const text = line.replace(/^\[[^\]]*\]\s*/, '');
  // To the end of a sentence.
  return `: ${text.length <= MAX_REASON ? text : text.slice(0, MAX_REASON).replace(/\.\s[^.]*$/, '')}`;
}

function killGroup({ pid }: ChildProcess) {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function timer(ms: number, value: string) {
  let handle: NodeJS.Timeout | undefined;
  const promise = new Promise((resolve) => (handle = setTimeout(resolve, ms, value)));
  return { promise, stop: () => clearTimeout(handle) };
}
