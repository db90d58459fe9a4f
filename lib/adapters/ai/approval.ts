// Tools that a person has to approve keep that when code calls them. The AI SDK asks before a call of a tool, so it is asked
// before code that names such a tool, and the person sees that code. Code can then call what it names, and nothing else that needs
// approval.

import type { ToolApproval } from './api';

export type Call = { toolCallId?: string; messages?: readonly any[] };

/**
 * Whether a person has to approve calls of a tool, as `toolApproval` of the call or `needsApproval` of the tool says.
 */
export class ToolPolicy {
  #approval;

  constructor(approval: ToolApproval | undefined) {
    this.#approval = approval;
  }

  /** Whether no call is allowed. */
  get isDenied() {
    return typeOf(this.#approval) === 'denied';
  }

  /** Whether there can be calls that need it. */
  get mayNeed() {
    return typeof this.#approval === 'function' || typeOf(this.#approval) === 'user-approval';
  }

  /**
   * @param options of the call
   * @throws {Error} if the call is denied
   */
  async needs(input: unknown, options: any): Promise<boolean> {
    const approval = this.#approval;
    const type = typeOf(typeof approval === 'function' ? await approval(input, options) : approval);
    if (type === 'denied') throw Object.assign(new Error('this call is denied'), { name: 'ApprovalError' });
    return type === 'user-approval';
  }
}

/**
 * What is none of the words of the AI SDK needs approval, as what is `true` does.
 *
 * @param status `true` and `false` are those of `needsApproval`
 */
function typeOf(status: any): 'not-applicable' | 'approved' | 'denied' | 'user-approval' {
  if (status === undefined || status === null || status === false) return 'not-applicable';
  const type = typeof status === 'string' ? status : status.type;
  return ['not-applicable', 'approved', 'denied'].includes(type) ? type : 'user-approval';
}

/**
 * Those of the names that code has in its text.
 *
 * @param names identifiers
 */
export function namedIn(code: string, names: readonly string[]) {
  const words = new Set(code.match(/[\p{ID_Continue}$\u200c\u200d]+/gu));
  return names.filter((name) => words.has(name));
}

/**
 * Whether a person has approved the call of a tool in these messages: versions of the AI SDK that know no approval do not ask.
 */
export function isApproved({ toolCallId, messages = [] }: Call) {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const ids = parts
    .filter((part) => part.type === 'tool-approval-request' && part.toolCallId === toolCallId)
    .map(({ approvalId }) => approvalId);
  return parts.some((part) => part.type === 'tool-approval-response' && part.approved && ids.includes(part.approvalId));
}
