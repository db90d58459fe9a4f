// attack: a loop that uses 900 variables, for which an optimising compiler takes far more than the limit
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY, DIRTY
// options: {"timeoutMs":40000,"maxOperations":1000000000}
// peak: 192 what is beyond the limit until the compiler is stopped
const names = Array.from({ length: 900 }, (_, i) => `v${i}`);

export const code = `
  function f(n) {
    let ${names.map((name, i) => `${name} = ${i}`).join(', ')};
    for (let i = 0; i < n; i++) { ${names.map((name) => `${name} += i;`).join('')} }
    return ${names.join(' + ')};
  }
  for (let k = 0; k < 300; k++) f(3000);
`;
