// attack: labels of one name around each other, of which the parser makes an error for each pair
// outcome: ERR_VALIDATION_FAILED
// state: READY
// options: {"timeoutMs":12000}
export const scenario = async ({ api, run }) => {
  const codes = [];
  for (const code of ['a:'.repeat(11_000) + ';', '{a:'.repeat(11_000) + ';' + '}'.repeat(11_000)]) {
    const diagnostics = api.validateCode(code);
    if (diagnostics.every(({ severity }) => severity !== 'ERROR')) codes.push('accepted');
    codes.push(await run(code));
  }
  const [first, ...others] = new Set(codes);
  return others.length === 0 ? first : `${codes}`;
};
