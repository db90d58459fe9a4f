import type { Foreign } from '../../contract/foreign';
import type { CallOfTool, Refused } from '../code-tool/paused-programs';

// Tools that need approval still need it when code calls them. The AI SDK requests approval before a tool call. It
// therefore requests approval of code that names such a tool, and the person sees the code. The code can then call the
// tools that it names. Other tools that need approval fail.

/** Whether a person must approve a call, as in `toolApproval` of AI SDK 7. `true` means `"user-approval"`. */
export type ToolApproval =
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tools declare their inputs, and versions of the SDK the options
  ToolApprovalStatus | ((input: any, options: any) => ToolApprovalStatus | PromiseLike<ToolApprovalStatus>);

type ToolApprovalType = 'not-applicable' | 'approved' | 'denied' | 'user-approval';
type ToolApprovalStatus = undefined | boolean | ToolApprovalType | { type: ToolApprovalType; reason?: string };

/** @internal */
export type Call = { toolCallId?: string; messages?: readonly Foreign[] };

/**
 * Determines whether calls of a tool need approval, according to `toolApproval` of the call or `needsApproval` of the
 * tool.
 *
 * @internal
 */
export class ToolPolicy {
  #approval;

  constructor(approval: ToolApproval | undefined) {
    this.#approval = approval;
  }

  /** Whether all calls are denied. */
  get isDenied() {
    return typeOf(this.#approval) === 'denied';
  }

  /** Whether some calls may need approval. */
  get mayNeed() {
    return typeof this.#approval === 'function' || typeOf(this.#approval) === 'user-approval';
  }

  /**
   * @param options options of the call
   * @throws {Error} if the call is denied
   */
  async needs(input: unknown, options: Foreign): Promise<boolean> {
    const approval = this.#approval;
    const type = typeOf(typeof approval === 'function' ? await approval(input, options) : approval);
    if (type === 'denied') throw Object.assign(new Error('this call is denied'), { name: 'ApprovalError' });
    return type === 'user-approval';
  }
}

/**
 * The approval status of a call. Unknown values need approval, as `true` does.
 *
 * @param status a status of the AI SDK, or a boolean from `needsApproval`
 */
function typeOf(status: Foreign): 'not-applicable' | 'approved' | 'denied' | 'user-approval' {
  if (status === undefined || status === null || status === false) return 'not-applicable';
  const type = typeof status === 'string' ? status : status.type;
  return ['not-applicable', 'approved', 'denied'].includes(type) ? type : 'user-approval';
}

/** A call that only asks for declarations, with literal names. */
const DESCRIBES = /\btool(?:s|box_?)\.describe\((?:[\s,]*(?:"[^"\\\n]*"|'[^'\\\n]*'|`[^`\\$]*`))*[\s,]*\)/g;

/**
 * Returns the names that occur in the text of the code, except in calls that only ask for declarations.
 *
 * @internal
 * @param names identifiers
 */
export function namedIn(code: string, names: readonly string[]) {
  const words = new Set(code.replace(DESCRIBES, '').match(/[\p{ID_Continue}$\u200c\u200d]+/gu));
  return names.filter((name) => words.has(name));
}

/**
 * Whether these messages contain a person's approval of the tool call. Versions of the AI SDK without approval never
 * request it.
 *
 * @internal
 */
export function isApproved({ toolCallId, messages = [] }: Call) {
  const parts = partsOf(messages);
  const ids = requestsOf(parts)
    .filter((request) => request.toolCallId === toolCallId)
    .map(({ approvalId }) => approvalId);
  return parts.some((part) => part.type === RESPONSE && part.approved && ids.includes(part.approvalId));
}

/** @internal */
export function callOf(call: Call): CallOfTool {
  return { id: call.toolCallId, isApproved: isApproved(call), refused: () => refusedCode(call) };
}

/** The code of the tool calls that a person has refused, by these messages, the last one first. */
function refusedCode({ messages = [] }: Call): Refused[] {
  const parts = partsOf(messages);
  const requests = new Map(requestsOf(parts).map((request) => [request.approvalId, request.toolCallId]));
  const inputs = new Map(parts.filter(({ type }) => type === 'tool-call').map((it) => [it.toolCallId, it.input]));
  return parts
    .filter((part) => part.type === RESPONSE && part.approved === false)
    .map(({ approvalId, reason }) => ({ code: inputs.get(requests.get(approvalId))?.code, reason }))
    .filter(({ code }) => typeof code === 'string')
    .reverse();
}

const RESPONSE = 'tool-approval-response';

function partsOf(messages: readonly Foreign[]): Foreign[] {
  return messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
}

function requestsOf(parts: Foreign[]) {
  return parts.filter(({ type }) => type === 'tool-approval-request');
}
