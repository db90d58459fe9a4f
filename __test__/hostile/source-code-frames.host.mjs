// attack: errors in lines of a megabyte, whose code frames and stacks would be as long
// outcome: value 'code frames stay short'
// state: READY
// options: {"timeoutMs":4000}
export const scenario = async ({ executor }) => {
  const lengths = [];
  for (const code of [
    `${' '.repeat(900_000)}throw new Error('x');`,
    `/* ${'\u{1f600}'.repeat(200_000)} */ null.x; /* ${'x'.repeat(10_000)} */`,
    `const f = () => f(); f(); // ${'y'.repeat(900_000)}`,
    `${'('.repeat(900_000)}`,
    `let a = ${'"x" + '.repeat(100_000)}`,
  ]) {
    const error = await executor.run(code).catch((failure) => failure);
    lengths.push(JSON.stringify(error).length);
  }
  return `value '${Math.max(...lengths) < 20_000 ? 'code frames stay short' : lengths}'`;
};
