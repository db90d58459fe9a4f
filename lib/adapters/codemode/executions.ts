import { DurableSession } from '../../durable/session';
import { planToApprove } from '../../contract/waiting-call';
import type { Foreign } from '../../contract/foreign';
import type { Plan } from '../../contract/plan';
import type { DurableOptions } from '../../durable';

/** A call of a function of a connector. */
export interface ToolLogEntry {
  /** The number of the call in the execution. */
  seq: number;
  connector: string;
  method: string;
  args: unknown;
  result?: unknown;
  requiresApproval: boolean;
  /** `"failed"`: the function threw, or a person has refused the call. */
  state: 'executing' | 'applied' | 'failed' | 'pending' | 'reverted';
}

/** A call that waits for approval. */
export type PendingAction = Pick<ToolLogEntry, 'seq' | 'connector' | 'method' | 'args'> & {
  executionId: string;
  /**
   * All calls that the program can make. Absent if it is longer than 60,000 characters, and for calls of which nobody
   * knows whether they took effect.
   */
  plan?: Plan;
};

/** An execution, as its journal records it. */
export interface CodemodeExecution {
  executionId: string;
  status: 'completed' | 'paused' | 'error' | 'running';
  code: string;
  /** When it began, ISO 8601. */
  time: string;
  calls: ToolLogEntry[];
  pending: PendingAction[];
  result?: unknown;
  error?: string;
}

/**
 * Reads the journal of an execution. No isolate is made.
 *
 * @param needsApproval whether a person must approve calls of `connector.method`
 */
export async function executionOf(
  id: string,
  options: Pick<DurableOptions, 'store' | 'keys'>,
  needsApproval: (path: string) => boolean,
): Promise<CodemodeExecution> {
  const execution: CodemodeExecution = {
    executionId: id,
    status: 'running',
    code: '',
    time: '',
    calls: [],
    pending: [],
  };
  const calls = new Map<number, ToolLogEntry>();
  const plans = new Map<number, Plan>();
  for await (const entry of new DurableSession(id, options, {}).history()) {
    read(entry, execution, calls, plans, needsApproval);
  }
  execution.calls = [...calls.values()];
  if (execution.status !== 'running') return execution;
  execution.pending = execution.calls
    .filter(({ state }) => state === 'pending')
    .map(({ seq, connector, method, args }) => {
      const plan = plans.get(seq);
      return { executionId: id, seq, connector, method, args, ...(plan !== undefined && { plan }) };
    });
  if (execution.pending.length > 0) execution.status = 'paused';
  return execution;
}

function read(
  entry: Foreign,
  execution: CodemodeExecution,
  calls: Map<number, ToolLogEntry>,
  plans: Map<number, Plan>,
  needsApproval: (path: string) => boolean,
) {
  const change = (seq: unknown, state: ToolLogEntry['state']) => {
    const call = calls.get(seq as number);
    if (call !== undefined) call.state = state;
    return call;
  };
  const { type, key, waiting, attempt, reverted } = entry;
  const seq = typeof key === 'string' ? seqOf(key) : undefined;
  // Sending tools, which comes before it, has ended with an entry of the same type.
  if (type === 'run') Object.assign(execution, { code: entry.code, time: entry.time ?? '', status: 'running' });
  if (type === 'call') {
    const [connector = '', method = ''] = String(entry.name).split('.');
    // A function of this package has no connector.
    if (connector === 'codemode' || method === '') return;
    const [args = {}] = entry.args as unknown[];
    const requiresApproval = needsApproval(`${connector}.${method}`);
    calls.set(seq as number, { seq: seq as number, connector, method, args, requiresApproval, state: 'executing' });
  }
  if (waiting !== undefined) {
    const { call, payload } = waiting as Foreign;
    change(call, 'pending');
    const plan = planToApprove(JSON.parse(payload).payload);
    if (plan !== undefined) plans.set(call, plan as Plan);
  }
  if (attempt !== undefined) change((attempt as Foreign).call, 'executing');
  if (type === 'answers' && entry.isPending !== true) {
    const call = change(seq, entry.error === undefined ? 'applied' : 'failed');
    if (call !== undefined && 'result' in entry) call.result = entry.result;
  }
  if (reverted !== undefined && (reverted as Foreign).error === undefined)
    change((reverted as Foreign).call, 'reverted');
  if (type === 'end') {
    execution.status = entry.error === undefined ? 'completed' : 'error';
    if (entry.error === undefined) execution.result = entry.output;
    else execution.error = `${(entry.error as Foreign).code}: ${(entry.error as Foreign).message}`;
  }
}

/** The number of a call in its execution, which the key of the call ends with. */
export function seqOf(key: string): number {
  return Number(key.slice(key.lastIndexOf('/') + 1));
}
