// What follows from the tables and texts of `lib/contract/lifecycle.ts`.

import lifecycle from '../../build/contract/lifecycle.js';
import { HEADER } from './text.mjs';

const { OPERATIONS, REFUSALS, REFUSED, STATES, TRANSITIONS } = lifecycle;

export function lifecycleParts() {
  return [
    { path: 'crates/protocol/src/refusals.rs', text: refusals() },
    { path: 'crates/protocol/src/lifecycle.rs', text: states() },
  ];
}

function refusals() {
  const texts = Object.entries(REFUSALS).map(([name, text]) => `pub const ${name}: &str = ${JSON.stringify(text)};\n`);
  return `${HEADER('lifecycle.ts')}//! Reasons why a call is refused or ended: \`details.hint\` of \`ERR_INVALID_STATE\`.\n\n${texts.join('')}`;
}

function states() {
  const names = Object.keys(STATES);
  const after = Object.entries(STATES).flatMap(([from, row]) =>
    Object.entries(row).map(
      ([by, to]) => `(Self::${variant(from)}, Transition::${pascal(by)}) => Some(Self::${variant(to)}),`,
    ),
  );
  const refused = Object.entries(REFUSED).flatMap(([state, row]) =>
    Object.entries(row).map(
      ([call, why]) => `(Self::${variant(state)}, Operation::${pascal(call)}) => Some(refusals::${why}),`,
    ),
  );
  return `${HEADER('lifecycle.ts')}//! The state machine of one executor (specification, sections 4.1 to 4.3).

use crate::refusals;

/// State of an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State { ${names.map((name) => `${variant(name)},`).join(' ')} }

/// An event that may change the state of an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition { ${Object.entries(TRANSITIONS)
    .map(([name, doc]) => `\n/// ${doc}\n${pascal(name)},`)
    .join('')} }

/// A call of an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation { ${OPERATIONS.map((name) => `${pascal(name)},`).join(' ')} }

impl State {
    pub const ALL: [Self; ${names.length}] = [${names.map((name) => `Self::${variant(name)}`).join(', ')}];

    /// The state's name in the specification.
    pub fn name(self) -> &'static str {
        match self { ${names.map((name) => `Self::${variant(name)} => "${name}",`).join(' ')} }
    }

    /// The state after \`transition\`, or \`None\` if the transition is not allowed.
    ///
${tableOf()
  .map((line) => `    /// ${line}\n`)
  .join('')}    pub fn after(self, transition: Transition) -> Option<Self> {
        match (self, transition) { ${after.join(' ')} _ => None }
    }

    /// Why a call is refused in this state. \`None\`: it is allowed, or waits in the queue.
    pub fn refusal(self, operation: Operation) -> Option<&'static str> {
        match (self, operation) { ${refused.join(' ')} _ => None }
    }
}

impl Operation {
    /// The method's name.
    pub fn name(self) -> &'static str {
        match self { ${OPERATIONS.map((name) => `Self::${pascal(name)} => "${name}",`).join(' ')} }
    }
}
`;
}

/** The transitions as a table. */
function tableOf() {
  const columns = Object.keys(TRANSITIONS);
  const rows = Object.entries(STATES).map(([from, row]) => [from, ...columns.map((by) => row[by] ?? '')]);
  const table = [['from \\ by', ...columns.map(pascal)], ...rows];
  const widths = table[0].map((_, at) => Math.max(...table.map((row) => row[at].length)));
  const lines = table.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`);
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return lines;
}

/** `NEW` as `New`. */
function variant(state) {
  return state[0] + state.slice(1).toLowerCase();
}

/** `initFailed` as `InitFailed`. */
function pascal(name) {
  return name[0].toUpperCase() + name.slice(1);
}
