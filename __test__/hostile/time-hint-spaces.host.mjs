// attack: an error that reads as V8's about constants, with no name, in a line of 400,000 spaces and one of as many names
// outcome: value ["ERR_RUNTIME_EXCEPTION","ERR_RUNTIME_EXCEPTION"]
// state: READY
// options: {"timeoutMs":10000}
const forged = (/** @type {string} */ name, /** @type {string} */ rest) =>
  `throw new TypeError("Cannot assign to read only property '${name}' of object "); // ${rest}`;
export const scenario = async (/** @type {any} */ { executor }) => {
  const codes = [forged('', ' '.repeat(400_000)), forged('a', 'a '.repeat(200_000))];
  const outcomes = [];
  for (const code of codes) outcomes.push((await executor.run(code).catch((/** @type {any} */ error) => error)).code);
  return `value ${JSON.stringify(outcomes)}`;
};
