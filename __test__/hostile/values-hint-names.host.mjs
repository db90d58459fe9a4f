// attack: names with line ends, quotes and code in them, as what a hint would propose
// outcome: value 'one line, no longer than names are'
// state: READY
const NAMES = ['missin\ng', 'm`issing', 'missing\u2028', 'missin\u202eg', 'missing\r', `missing${'g'.repeat(1e6)}`];
export const scenario = async (/** @type {any} */ { executor }) => {
  const hints = [];
  for (const name of NAMES) {
    const code = `globalThis.box = { [${JSON.stringify(name)}]: 1 }; box.missing();`;
    const { details } = await executor.run(code).catch((/** @type {any} */ error) => error);
    hints.push(details.hint ?? '');
  }
  const isFine = hints.every((hint) => !hint.includes('Did you mean') && hint.length < 300 && !/[\r\n\u2028\u2029]/.test(hint));
  return `value ${isFine ? "'one line, no longer than names are'" : JSON.stringify(hints)}`;
};
