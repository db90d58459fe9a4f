// `npm run scale`: measures what sessions of a fleet use on this machine, and derives what 10, 1,000 and 100,000 of
// them take. With `-- --write` the tables go into docs/guide/scale.md. On Linux.

import { LOAD, SIZES, derive } from './scale/derive.mjs';
import { measure } from './scale/measure.mjs';
import { MACHINE, number, round, table, writeTables } from './scale/tables.mjs';
import { fail } from './setup/report.mjs';

if (process.platform !== 'linux') fail('the figures come from Linux');
const figures = await measure((what) => console.error(what));
const text = [measuredTable(figures), derivedTable(figures)].join('\n\n');
console.log(text);
if (process.argv.includes('--write')) await writeTables('npm run scale -- --write', text);

function measuredTable({ session, idle, run, tool, journal, connectionMiB }) {
  const micros = (seconds) => `${round(seconds * 1e6)} µs`;
  const rows = [
    ['Memory of a session at the worker', `${round(session.workerMiB)} MiB`],
    ['Memory of a session at the host', `${round(session.hostMiB)} MiB`],
    ['Memory of a connection at the broker', `${round(connectionMiB * 1024)} KiB`],
    [
      'Processor time of a run: host, broker, worker',
      ['host', 'broker', 'worker'].map((part) => micros(run.cpu[part])).join(', '),
    ],
    [
      'Processor time of a tool call: host, broker, worker',
      ['host', 'broker', 'worker'].map((part) => micros(tool.cpu[part])).join(', '),
    ],
    ['Messages and bytes of a run', `${round(run.messages)}, ${round(run.bytes)}`],
    ['Messages and bytes of a tool call', `${round(tool.messages)}, ${round(tool.bytes)}`],
    ['Runs per second of this machine', round(run.perSecond)],
    ['Tool calls per second of this machine', round(tool.perSecond)],
    ['Messages per second between a host and a worker without work', round(idle.messagesPerPair)],
    ['Appends to a stream of journals per second, each on the disk', round(journal.perSecond)],
    ['The same, each in the memory of the broker', round(journal.perSecondInMemory)],
    ['Processor time of an append: broker', micros(journal.brokerCpu)],
  ];
  return table(['Figure', MACHINE], rows);
}

function derivedTable(measured) {
  const all = SIZES.map((size) => derive(measured, size));
  const row = (title, cell) => [title, ...all.map(cell)];
  return table(
    [
      `A run with ${LOAD.toolCallsPerRun} tool calls every ${1 / LOAD.runsPerSecond} s, with journals`,
      ...SIZES.map(({ sessions }) => `${number(sessions)} sessions`),
    ],
    [
      row('Memory of the sessions', ({ workerGiB }) => `${round(workerGiB)} GiB`),
      row('Processors of the sessions', ({ workerCpus }) => round(workerCpus)),
      row(
        'Machines for workers',
        ({ workers, machine }) => `${workers} with ${machine.cpus} processors, ${machine.memoryGiB} GiB`,
      ),
      row('Host processes', ({ hosts }) => number(hosts)),
      row('Messages per second to the brokers', ({ messages }) => round(messages)),
      row('Traffic of the brokers', ({ bytes }) => `${round((bytes * 8) / 1e6)} Mbit/s`),
      row('Processors of the brokers', ({ brokerCpus }) => round(brokerCpus)),
      row('Brokers of 8 processors', ({ brokers }) => number(brokers)),
      row('Appends to journals per second', ({ appends }) => round(appends)),
      row('Streams of journals', ({ streams }) => number(streams)),
      row('Growth of journals per day', ({ journalGiBPerDay }) => `${round(journalGiBPerDay)} GiB`),
      row(
        'First limit of this plan',
        ({ limits: [{ name, mostSessions }] }) => `${name}, at ${round(mostSessions)} sessions`,
      ),
    ],
  );
}
