import { programText } from './program-text';
import type { Plan } from '../contract/plan';
import type { NativePlanRequest, NativePrepareOptions } from '../../native';

/** Loaded lazily: code that only references these functions must not load the addon. */
const native = () => require('../../native.cjs') as typeof import('../../native.cjs');

/** What a plan is made for. */
export interface PlanRequest {
  /** The keys from the global to each tool. */
  tools: string[][];
  /** The programs that the session has run; undefined if they are not known. */
  earlier: readonly string[] | undefined;
  /** The name of a function of the front end, which calls the value of the program if that is a function. */
  front?: string;
}

/** The plan of a program, as `run` would read its text. The caller waits for it. */
export function planNow(code: string, request: PlanRequest, options: NativePrepareOptions): Plan {
  return JSON.parse(native().planProgram(textOf(code), nativeRequest(request), options));
}

/** The same on another thread. */
export async function planLater(code: string, request: PlanRequest, options: NativePrepareOptions): Promise<Plan> {
  return JSON.parse(await native().planProgramLater(textOf(code), nativeRequest(request), options));
}

function textOf(code: string) {
  return programText(code, true).code;
}

function nativeRequest({ tools, earlier, front }: PlanRequest): NativePlanRequest {
  return { tools, front, ...(earlier !== undefined && { earlier: earlier.map(textOf) }) };
}
