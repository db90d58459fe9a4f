// attack: classes that extend classes that extend classes, as TypeScript, which took twice as long with each
// outcome: value 'all settled in time'
// state: READY
// options: {"timeoutMs":8000}
// peak: 128 syntax trees
// processPeak: 48 the host checks the text, in its own process
import prompts from '../../build/adapters/prompts/index.js';

const nested = (open, close, levels) => `${open.repeat(levels)}Object${close.repeat(levels)}; const a: number = 1; return a`;

export const scenario = async ({ executor, run, api }) => {
  for (const [open, close] of [
    ['(class extends ', ' {})'],
    ['(class A extends ', ' { b = 1 })'],
    ['(class<T> extends ', '<T> {})'],
    ['new (class extends (() => ', ')() {})'],
    ['(class { [class extends ', ' {}.name] = 1 })'],
  ]) {
    for (const levels of [26, 100, 400]) {
      const code = nested(open, close, levels);
      api.validateCode(code);
      prompts.parseCodeBlobs(`\`\`\`ts\n${code}\n\`\`\``);
      const outcome = await run(code, { language: 'typescript' });
      if (!/^(value 1|ERR_RUNTIME_EXCEPTION|ERR_VALIDATION_FAILED)$/.test(outcome)) return `${levels} ${open}: ${outcome}`;
    }
  }
  return executor.state === 'READY' ? "value 'all settled in time'" : executor.state;
};
