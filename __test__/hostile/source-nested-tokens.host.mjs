// attack: long chains that nest only after parsing: binary operators, members, calls, commas, concatenations
// outcome: value 'all settled in time'
// state: READY
// processPeak: 64 the text is the host's own, and copied on its way
// options: {"timeoutMs":8000}
// peak: 400 syntax trees of programs of half a megabyte
export const scenario = async ({ run }) => {
  const programs = [
    `return ${'1+'.repeat(200_000)}1`,
    `return ${"'a'+".repeat(100_000)}'a'`,
    `const a = {}; a.a = a; return a${'.a'.repeat(200_000)} === a`,
    `const f = () => f; return f${'()'.repeat(150_000)} === f`,
    `return ${'1,'.repeat(200_000)}1`,
    `return ${'1&&'.repeat(150_000)}1`,
    `return ${'null??'.repeat(80_000)}1`,
    `return [${'1,'.repeat(400_000)}].length`,
    `${'let a;{'.repeat(400)}${'}'.repeat(400)} return 1`,
    `switch (1) { ${'case 2:'.repeat(100_000)} }`,
    `return (() => { var ${Array.from({ length: 60_000 }, (_, i) => `v${i}`).join()}; return 1; })()`,
    `${'x:;'.repeat(100_000)} return 1`,
    `return \`${'${1}'.repeat(150_000)}\`.length`,
    `return /${'a?'.repeat(200_000)}/.source.length`,
    `return ${'9'.repeat(900_000)}n > 1n`,
    `return "${'\\u{1f600}'.repeat(80_000)}".length`,
    `${';'.repeat(1_000_000)}`,
    `function ${'f'.repeat(900_000)}() {} return 1`,
  ];
  const fine = /^(value|ERR_VALIDATION_FAILED|ERR_RUNTIME_EXCEPTION|ERR_MEMORY_LIMIT_EXCEEDED)/;
  for (const program of programs) {
    const outcome = await run(program);
    if (!fine.test(outcome)) return `${program.slice(0, 30)}: ${outcome}`;
  }
  return "value 'all settled in time'";
};
