// What a number of sessions takes, derived from measured figures.

/** What the tables are about: an agent that runs a program with five tool calls every ten seconds, with a journal. */
export const LOAD = { runsPerSecond: 0.1, toolCallsPerRun: 5 };
/** Sizes, each with the machines for workers that are planned with. */
export const SIZES = [
  { sessions: 10, machine: { cpus: 2, memoryGiB: 4 } },
  { sessions: 1_000, machine: { cpus: 16, memoryGiB: 64 } },
  { sessions: 100_000, machine: { cpus: 16, memoryGiB: 64 } },
];
/** How much of a processor or of memory is planned with; the rest is for peaks. */
const USE = 0.6;
/** Processors that a broker uses well, and that the event loop of one host process has. */
const BROKER_CPUS = 8;
const HOST_CPUS = 1;

/**
 * @param figures as measure.mjs gives them
 * @param size one of `SIZES`
 * @returns what it takes, and `limits`: how much of each part is used, the one that is reached first at the beginning
 */
export function derive(figures, { sessions, machine }) {
  const { run, tool, journal, session, idle } = figures;
  const runs = sessions * LOAD.runsPerSecond;
  const calls = runs * LOAD.toolCallsPerRun;
  const seconds = (part) => runs * run.cpu[part] + calls * tool.cpu[part];
  // One for the intent and one for the answer of each call; one each for the beginning and the end of a run.
  const appends = 2 * calls + 2 * runs;
  const workerGiB = (sessions * session.workerMiB) / 1024;
  const [workerCpus, hostCpus] = [seconds('worker'), seconds('host')];
  const atLeast = sessions > 10 ? 2 : 1;
  const memory = { need: workerGiB, of: machine.memoryGiB };
  const workers = Math.max(atLeast, parts(memory), parts({ need: workerCpus, of: machine.cpus }));
  const hosts = Math.max(1, parts({ need: hostCpus, of: HOST_CPUS }));
  // Pings go between each host and each worker that it has sessions on.
  const pairs = Math.min(hosts * workers, sessions);
  const brokerCpus = seconds('broker') + pairs * idle.brokerCpuPerPair + appends * journal.brokerCpu;
  const brokers = Math.max(1, parts({ need: brokerCpus, of: BROKER_CPUS }));
  const streams = Math.max(1, parts({ need: appends, of: journal.perSecond }));
  const used = {
    'memory of the worker machines': workerGiB / (workers * machine.memoryGiB * USE),
    'processors of the worker machines': workerCpus / (workers * machine.cpus * USE),
    'event loops of the host processes': hostCpus / (hosts * HOST_CPUS * USE),
    'processors of the brokers': brokerCpus / (brokers * BROKER_CPUS * USE),
    'appends to the streams of journals': appends / (streams * journal.perSecond * USE),
  };
  const limits = Object.entries(used)
    .map(([name, share]) => ({ name, share, mostSessions: Math.floor(sessions / share) }))
    .sort((a, b) => b.share - a.share);
  return {
    sessions,
    machine,
    workerGiB,
    workerCpus,
    workers,
    hosts,
    pairs,
    messages: runs * run.messages + calls * tool.messages + pairs * idle.messagesPerPair + appends,
    bytes: runs * run.bytes + calls * tool.bytes + appends * journal.bytes,
    brokerCpus,
    brokers,
    appends,
    streams,
    journalGiBPerDay: (appends * journal.bytes * 86_400) / 2 ** 30,
    limits,
  };
}

/** How many of something are needed. */
function parts({ need, of }) {
  return Math.ceil(need / (of * USE));
}
