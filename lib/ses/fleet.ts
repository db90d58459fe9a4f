import type { Fleet } from '../contract/options';
import type { NativeFleetWorker } from '../../native';

type WorkerOptions = ConstructorParameters<typeof NativeFleetWorker>[0];

/** A worker of a fleet that has not started yet. */
export function makeFleetWorker(options: WorkerOptions): NativeFleetWorker {
  const { NativeFleetWorker } = require('../../native.cjs') as typeof import('../../native.cjs');
  if (NativeFleetWorker === undefined) throw new Error('a worker of a fleet needs Linux or macOS');
  return new NativeFleetWorker(options);
}

/**
 * The answers of all workers of a pool, as JSON texts that are not checked.
 *
 * @param timeoutMs how long the first answer may take
 */
export function fleetStatus(fleet: Fleet, timeoutMs: number): Promise<string[]> {
  const { fleetStatus: ask } = require('../../native.cjs') as typeof import('../../native.cjs');
  return ask(fleet, timeoutMs);
}
