// Runs cases: a process per peer and case, all of them alive at once and asked in turns, so that what else the machine
// does hits all alike.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { BASELINE, OURS } from './peers/index.mjs';
import { median } from './statistics.mjs';

const CHILD = fileURLToPath(new URL('./child.mjs', import.meta.url));
/** Preparing, or one round, of the slowest peer takes some seconds. */
const TIMEOUT_MS = 60_000;
/** What a quick run may take of the time of a full one. */
const QUICK_SHARE = 0.1;

/**
 * Runs one case.
 *
 * @param theCase - see cases/index.mjs
 * @param peers - of peers/index.mjs, each with `execPath`
 * @param options - `isQuick`, and `onProgress(text)`
 * @returns rows: `{ id, title, unit, isHigherBetter, cells }`; a cell by id of the peer is `{ rounds, note }`, the median
 *   of each round; `reason` says why there is nothing to measure, `error` what failed
 */
export async function runCase(theCase, peers, { isQuick, onProgress }) {
  const rows = rowsOf(theCase);
  const asked = inMeasuredOrder(peers).filter(
    ({ id, cases }) => (theCase.peers?.includes(id) ?? true) && (cases?.includes(theCase.id) ?? true),
  );
  const minRounds = isQuick ? 1 : 2;
  const rounds = isQuick ? Math.min(2, theCase.rounds) : theCase.rounds;
  const children = new Map();
  for (const variant of theCase.variants) {
    const done = new Set();
    // On a busy machine there are fewer rounds.
    const end = Date.now() + (theCase.seconds * 1e3 * (isQuick ? QUICK_SHARE : 1)) / theCase.variants.length;
    for (let round = 0; round < rounds && (round < minRounds || Date.now() < end); round++) {
      onProgress(`${variant.title}: round ${round + 1} of ${rounds}`);
      for (const peer of turnsOf(round, asked)) {
        if (done.has(peer)) continue;
        if (!children.get(peer)?.isUsable) children.set(peer, await Child.start(peer, theCase));
        const child = children.get(peer);
        if (theCase.quietMs !== undefined) await new Promise((resolve) => setTimeout(resolve, theCase.quietMs));
        const reply = child.refusal ?? (await child.round(variant, isQuick));
        recordReply(rows, metricsOf(theCase, variant), peer, variant, reply);
        // A peer that failed fails again.
        if (reply.metrics === undefined || (peer.isSlow && round + 1 >= theCase.roundsOfSlow)) done.add(peer);
        if (theCase.isFreshEachRound && child.refusal === undefined) child.end();
      }
    }
  }
  for (const child of children.values()) child.end();
  return rows;
}

/** Who is asked in a round, in which order: all begin, and follow each of their neighbours and themselves, equally often. */
function turnsOf(round, asked) {
  const first = (round >> 1) % asked.length;
  const turns = [...asked.slice(first), ...asked.slice(0, first)];
  return round % 2 === 0 ? turns : turns.toReversed();
}

/** What the goals compare runs one after the other: the package between plain Node.js and the first of the peers. */
function inMeasuredOrder(peers) {
  const place = ({ id }) => (id === BASELINE ? 0 : id === OURS ? 1 : 2);
  return peers.toSorted((a, b) => place(a) - place(b));
}

function rowsOf(theCase) {
  return theCase.variants.flatMap((variant) =>
    metricsOf(theCase, variant).map(({ id, title, unit, isHigherBetter = false }, index) => ({
      id: rowId(variant, id, index),
      title: typeof title === 'function' ? title(variant) : (title ?? variant.title),
      unit,
      isHigherBetter,
      cells: {},
    })),
  );
}

function metricsOf(theCase, variant) {
  return variant.metrics ?? theCase.metrics;
}

/** The first metric's row has the name of the variant. */
function rowId(variant, metric, index) {
  return index === 0 ? variant.id : `${variant.id}:${metric}`;
}

function recordReply(rows, metricsOfVariant, peer, variant, { metrics, note, reason, error }) {
  metricsOfVariant.forEach(({ id }, index) => {
    const row = rows.find((one) => one.id === rowId(variant, id, index));
    const cell = (row.cells[peer.id] ??= { rounds: [] });
    if (reason !== undefined) cell.reason = reason;
    else if (error !== undefined) cell.error = error;
    else {
      const value = median(metrics[id]);
      if (Number.isFinite(value)) cell.rounds.push(value);
      if (note !== undefined) cell.note = note;
    }
  });
}

class Child {
  /** What it answers instead of rounds, if it has nothing to measure or could not start. */
  refusal;
  /** Whether further rounds can be asked of it. */
  isUsable = true;
  #process;

  static async start(peer, theCase) {
    const child = new Child();
    child.#process = fork(CHILD, [peer.id, theCase.id], {
      execPath: peer.execPath,
      execArgv: ['--expose-gc', ...(peer.execArgv ?? [])],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const { ready, ...refusal } = await child.#reply();
    if (!ready) child.refusal = refusal;
    return child;
  }

  async round(variant, isQuick) {
    this.#process.send({ variant, isQuick });
    return await this.#reply();
  }

  end() {
    this.isUsable = false;
    this.#process.kill('SIGKILL');
  }

  #reply() {
    const child = this.#process;
    return new Promise((resolve) => {
      const settle = (reply) => {
        clearTimeout(timer);
        child.off('message', settle);
        child.off('exit', died);
        resolve(reply);
      };
      const died = (code, signal) => {
        this.isUsable = false;
        settle({ reason: `host died (${signal ?? `exit status ${code}`})` });
      };
      const timer = setTimeout(() => {
        this.end();
        settle({ reason: `no answer in ${TIMEOUT_MS / 1e3} s` });
      }, TIMEOUT_MS);
      child.on('message', settle);
      child.on('exit', died);
    });
  }
}
