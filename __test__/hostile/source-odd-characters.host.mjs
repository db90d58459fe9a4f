// attack: null bytes, lone surrogates, byte-order marks, line separators and bidirectional marks as program text
// outcome: value 'all settled with a code'
// state: READY
export const scenario = async ({ run }) => {
  const odd = [
    '\u0000',
    '\ud800',
    '\udc00\ud800',
    '\ufeff',
    '\u2028',
    '\u202e',
    '\uffff',
    '\u200d',
    '\u001a',
    '\ud83d',
  ];
  const shapes = [
    (text) => text,
    (text) => `"${text}".length`,
    (text) => `// ${text}\n1`,
    (text) => `/* ${text} */ 1`,
    (text) => `const ${text} = 1`,
    (text) => `${text}return 1`,
    (text) => `\`${text}\``,
    (text) => `/${text}/.source`,
    (text) => `throw new Error("${text}")`,
    (text) => `${text.repeat(1000)}`,
    (text) => `await import("${text}")`,
  ];
  const known = /^value |^ERR_(VALIDATION_FAILED|RUNTIME_EXCEPTION|IMPORT_NOT_ALLOWED)$/;
  for (const text of odd) {
    for (const shape of shapes) {
      const outcome = await run(shape(text));
      if (!known.test(outcome)) return `${JSON.stringify(shape(text))}: ${outcome}`;
    }
  }
  return "value 'all settled with a code'";
};
