/** UTF-16 code units that an error quotes from each end of the answer. */
const MAX_QUOTED = 1_000;

/** A model's answer contains no code. The message tells the model what to send. */
export class CodeParsingError extends Error {
  declare readonly name: 'CodeParsingError';
  readonly code: 'ERR_CODE_NOT_FOUND';

  /**
   * @internal
   * @param found `isValue`: the answer is only a value. `mark`: the mark of a fenced block in the answer, '' for an
   *   unmarked block
   */
  constructor(text: string, tags: [string, string], { isValue, mark }: { isValue: boolean; mark: string | undefined }) {
    const isAnswer = isValue || (/final/i.test(text) && /answer/i.test(text));
    super([reason(text, tags), ...fenceHint(mark), isAnswer ? answerHint(tags) : codeHint(tags)].join('\n'));
    this.code = 'ERR_CODE_NOT_FOUND';
  }
}
Object.defineProperty(CodeParsingError.prototype, 'name', {
  value: 'CodeParsingError',
  writable: true,
  configurable: true,
});

function reason(text: string, [opening, closing]: [string, string]) {
  if (text.trim() === '') return 'Your answer is empty: there is no code in it.';
  return `There is no code in your answer: nothing was found between ${opening} and ${closing}.\nYour answer was:\n${quote(text.trim())}`;
}

function fenceHint(mark: string | undefined) {
  if (mark === undefined) return [];
  const found = mark === '' ? 'is not marked' : `is marked ${JSON.stringify(mark.slice(0, 40))}`;
  return [`A fenced block in it ${found}: only JavaScript can run here.`];
}

function answerHint(tags: [string, string]) {
  return `If this is the final answer, give it by calling final_answer in a code block, for instance:\n${example(
    'I know the answer and return it.',
    'final_answer("YOUR FINAL ANSWER HERE");',
    tags,
  )}`;
}

function codeHint(tags: [string, string]) {
  const sent = example('What you want to do next, and why.', '// Your JavaScript code here', tags);
  return `Send your reasoning and one block of JavaScript code, for instance:\n${sent}\nTo give the final answer, call final_answer(value) in that block.`;
}

function example(thought: string, code: string, [opening, closing]: [string, string]) {
  return `Thought: ${thought}\n${opening}\n${code}\n${closing}`;
}

function quote(text: string) {
  if (text.length <= 2 * MAX_QUOTED) return text;
  const left = text.length - 2 * MAX_QUOTED;
  return `${text.slice(0, MAX_QUOTED)}\n[... ${left} characters ...]\n${text.slice(-MAX_QUOTED)}`;
}
