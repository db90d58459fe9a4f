import { waitingCallText } from '../../contract/model-text';
import type { Foreign } from '../../contract/foreign';
import type { Answer, WaitingCall } from '../../contract/waiting-types';

/** Milliseconds that a person has to answer. Afterwards the program waits for another call with the same code. */
const TIMEOUT_MS = 300_000;
/** What the client asks for. Clients show forms of flat objects only. */
export const FORM = {
  type: 'object',
  properties: {
    decision: {
      type: 'string',
      title: 'Decision',
      enum: ['approve', 'answer', 'refuse'],
      description: 'approve: the call is made. answer: the text below is its result. refuse: it fails.',
    },
    answer: { type: 'string', title: 'Answer' },
  },
  required: ['decision'],
};

/** What a person reads who decides about a call. */
export function messageOf(call: WaitingCall) {
  return `A program waits for your decision about:\n${waitingCallText(call)}`;
}

/**
 * Asks the person at the client about a call that waits. The model cannot answer in place of the person.
 *
 * @param server the server for protocol 2025-11-25 and earlier
 * @returns undefined if the client cannot ask, or if nobody decides
 */
export async function askPerson(server: Foreign, call: WaitingCall, signal: AbortSignal): Promise<Answer | undefined> {
  if (server.getClientCapabilities()?.elicitation === undefined) return undefined;
  const options = { signal, timeout: TIMEOUT_MS };
  const reply = await server
    .elicitInput({ message: messageOf(call), requestedSchema: FORM }, options)
    .catch(() => undefined);
  return answerOf(reply);
}

/**
 * The decision in the reply of a client, which nothing has checked.
 *
 * @returns undefined if nobody has decided
 */
export function answerOf(reply: Foreign): Answer | undefined {
  if (reply?.action === 'decline') return refusal();
  if (reply?.action !== 'accept') return undefined;
  const { decision, answer } = reply.content ?? {};
  if (decision === 'approve') return { approve: true };
  return decision === 'answer' ? { result: answer ?? '' } : refusal();
}

function refusal(): Answer {
  const message = 'a person has refused this call: do not try it again unless the person asks for it';
  return { error: { name: 'ApprovalError', code: 'ERR_NOT_APPROVED', message } };
}
