import { REPLY_KIND } from '../contract/boundary-numbers';
import { within } from '../contract/current-call';
import { errorOf } from '../contract/errors';
import { optionRow } from '../contract/option-table';
import { answerToolCall } from '../contract/tool-calls';
import { ToolTimes } from '../contract/tool-times';
import { engineDiffers } from './errors';
import { keyOfCall } from './head';
import wire = require('../ses/transfer');
import type { OnToolCall } from '../contract/tool-types';
import type { Tool } from '../contract/tool-registry';
import type { RunScope } from '../contract/run-scope';
import type { NativeJournal, NativeJournalContent } from '../../native';

interface Surroundings {
  /** the tools of the host */
  functions: Tool[];
  /** of the executor */
  options: Record<string, unknown>;
  /** ends when the replay has no more time */
  scope: RunScope;
}

/**
 * Makes the calls again whose results the journal does not have, in order, before the isolate needs them. Only tools
 * are called for which the host has promised that this has no effect.
 *
 * @param keyPrefix what the keys of calls begin with
 * @throws {ExecutorError} `ERR_REPLAY_ENGINE` without such a tool, `ERR_REPLAY_DIVERGED` for another result
 */
export async function repeatCalls(
  keyPrefix: string,
  { journal, content }: { journal: NativeJournal; content: Pick<NativeJournalContent, 'withheld' | 'tools'> },
  surroundings: Surroundings,
) {
  for (const { run, call, id: number, args, entry } of content.withheld) {
    if (surroundings.scope.isOver) return;
    const path = content.tools.find((known) => known.id === number)?.path ?? [];
    const [key, name] = [keyOfCall(keyPrefix, run, call), path.join('.')];
    const tool = surroundings.functions.find((known) => known.path.join('.') === name);
    if (!tool?.isUnrecorded) {
      const reason = `the journal does not have the result of the call ${key}, and there is no tool ${name} with record: "nothing"`;
      const error = engineDiffers('tools', name, undefined, reason);
      error.details = { ...error.details, run };
      throw error;
    }
    const { status, payload, thrown } = await answerOf(tool, key, wire.readArguments(args), surroundings);
    if (surroundings.scope.isOver) return;
    if (journal.provide(run, call, status, payload)) continue;
    const error = errorOf('ERR_REPLAY_DIVERGED', { cause: 'answer' }, { cause: 'answer', run, entry, key, name });
    if (thrown !== undefined) error.cause = thrown;
    throw error;
  }
}

interface Reply {
  status: number;
  payload: unknown;
  thrown?: unknown;
}

/** The answer to a call, as the guest got it. The policy of the host decides about the call again. */
function answerOf(
  tool: Tool,
  key: string,
  args: Parameters<typeof answerToolCall>[2],
  { options, scope }: Surroundings,
): Promise<Reply> {
  const { maxTransferBytes = optionRow('maxTransferBytes').fallback, toolTimeoutMs, onToolCall } = options;
  const about = { key, attempt: 2, isApproved: true, isReplay: true };
  const call = <T>(of: RunScope, work: (scope: RunScope) => T) => within(about, of, () => work(of));
  return new Promise((done) => {
    let thrown: unknown;
    answerToolCall(tool, tool.isAsync, args, {
      wire,
      maxTransferBytes: maxTransferBytes as number,
      toolTimes: new ToolTimes(toolTimeoutMs as number | undefined),
      scope,
      onToolCall: onToolCall as OnToolCall | undefined,
      reply: (status, payload) => {
        if (status !== REPLY_KIND.PROMISE) done({ status, payload, thrown });
      },
      onThrown: (value) => (thrown = value),
      recorded: {
        key,
        given: undefined,
        isApproved: true,
        isRepeated: false,
        within: call,
        perform: call,
        wait: () => {
          const message = `${key} waits for somebody and had a result before`;
          done({ status: REPLY_KIND.ERROR, payload: ['Error', message, undefined, true], thrown: new Error(message) });
        },
      },
    });
    scope.atEnd(() => done({ status: REPLY_KIND.ERROR, payload: ['Error', 'the time is over', undefined, true] }));
  });
}
