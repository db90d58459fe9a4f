// attack: literals of regular expressions that V8 takes seconds and gigabytes to read
// outcome: value 'all refused'
// state: READY
// peak: 192 syntax trees, and what V8 reads patterns with
// processPeak: 32 the host checks the text, in its own process
const LITERALS = [
  `/[${'\\p{RGI_Emoji}'.repeat(3_000)}]/v`,
  `/[${'[\\p{RGI_Emoji}--\\p{Emoji_Keycap_Sequence}]'.repeat(1_000)}]/v`,
  `/${'\\p{L}'.repeat(20_000)}/iu`,
  `/[${'\\P{Lu}'.repeat(20_000)}]/v`,
  `[${'/\\p{L}\\p{M}/u,'.repeat(10_000)}]`,
  `[${'/[\\p{RGI_Flag_Sequence}]/v,'.repeat(1_000)}]`,
];

export const scenario = async ({ run, api }) => {
  for (const literal of LITERALS) {
    const code = `return ${literal}`;
    const outcome = await run(code);
    const { diagnostics } = api.prepareProgram(code, { timeoutMs: 60_000 });
    const rules = diagnostics.map(({ rule }) => rule);
    if (outcome !== 'ERR_VALIDATION_FAILED' || !rules.includes('regexp_too_complex')) {
      return `${literal.slice(0, 30)}: ${outcome} ${rules}`;
    }
  }
  const few = String.raw`return /^[\p{L}\p{RGI_Emoji}]+$/v.test('a')`;
  const { diagnostics } = api.prepareProgram(few, { timeoutMs: 60_000 });
  return `value '${diagnostics.length === 0 && (await run(few)) === 'value true' ? 'all refused' : 'refused too much'}'`;
};
