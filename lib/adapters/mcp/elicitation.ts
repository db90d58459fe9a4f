import { planText } from '../code-tool/render-plan';
import { waitingCallText } from '../../contract/model-text';
import { limitedPlan } from '../../contract/waiting-call';
import type { Foreign } from '../../contract/foreign';
import type { Answer, WaitingCall } from '../../contract/waiting-types';

/** Milliseconds that a person has to answer. Afterwards the program waits for another call with the same code. */
const TIMEOUT_MS = 300_000;
/** The longest text of a plan that a person can approve. The text says what it leaves out. */
const MAX_PLAN_CHARS = 10_000;

/** What the client asks for, about a call that waits. */
export function questionAbout(call: WaitingCall) {
  const plan = planTextOf(call);
  const about = `A program waits for your decision about:\n${waitingCallText(call)}`;
  return plan === undefined
    ? { message: about, requestedSchema: formWith([], '') }
    : {
        message: `${about}\n\nThe plan of the program:\n${plan}`,
        requestedSchema: formWith([APPROVE_PLAN], ` ${APPROVE_PLAN}: all calls of this plan are made.`),
      };
}

const APPROVE_PLAN = 'approve plan';

/** Clients show forms of flat objects only. */
function formWith(decisions: string[], description: string) {
  return {
    type: 'object',
    properties: {
      decision: {
        type: 'string',
        title: 'Decision',
        enum: ['approve', ...decisions, 'answer', 'refuse'],
        description: `approve: the call is made.${description} answer: the text below is its result. refuse: it fails.`,
      },
      answer: { type: 'string', title: 'Answer' },
    },
    required: ['decision'],
  };
}

/** The plan that a person can approve with a call. Undefined if there is none, or if it is too long to be read. */
function planTextOf({ payload }: WaitingCall): string | undefined {
  const text = planText(limitedPlan(payload));
  return text === undefined || text.length > MAX_PLAN_CHARS ? undefined : text;
}

/**
 * Asks the person at the client about a call that waits. The model cannot answer in place of the person.
 *
 * @param server the server for protocol 2025-11-25 and earlier
 * @returns undefined if the client cannot ask, or if nobody decides
 */
export async function askPerson(server: Foreign, call: WaitingCall, signal: AbortSignal): Promise<Answer | undefined> {
  if (!canAskPerson(server)) return undefined;
  const options = { signal, timeout: TIMEOUT_MS };
  const reply = await server.elicitInput(questionAbout(call), options).catch(() => undefined);
  return answerOf(reply, call);
}

/** @param server the server for protocol 2025-11-25 and earlier */
export function canAskPerson(server: Foreign): boolean {
  return server.getClientCapabilities()?.elicitation !== undefined;
}

/**
 * The decision in the reply of a client, which nothing has checked.
 *
 * @returns undefined if nobody has decided
 */
export function answerOf(reply: Foreign, call: WaitingCall): Answer | undefined {
  if (reply?.action === 'decline') return refusal();
  if (reply?.action !== 'accept') return undefined;
  const { decision, answer } = reply.content ?? {};
  if (decision === 'approve') return { approve: true };
  if (decision === APPROVE_PLAN && planTextOf(call) !== undefined) return { approve: 'plan' };
  return decision === 'answer' ? { result: answer ?? '' } : refusal();
}

function refusal(): Answer {
  const message = 'a person has refused this call: do not try it again unless the person asks for it';
  return { error: { name: 'ApprovalError', code: 'ERR_NOT_APPROVED', message } };
}
