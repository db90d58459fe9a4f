// attack: source maps, source URLs, directives and with, which change how code is read or named
// outcome: value 'nothing was read or named'
// state: READY
export const scenario = async ({ executor, run }) => {
  const error = await executor
    .run('//# sourceMappingURL=file:///etc/passwd\n//# sourceURL=/etc/passwd\nthrow new Error("x");')
    .catch((failure) => failure);
  const sloppy = await run('with ({ x: 1 }) { x }');
  const octal = await run('return 010');
  const asm = await run('"use asm"; "use strict"; return (function () { "use asm"; return typeof this; })()');
  const isClean = !/passwd/.test(error.details.stack) && error.details.line === 3;
  const isStrict = sloppy === 'ERR_VALIDATION_FAILED' && octal === sloppy && asm === "value 'undefined'";
  return `value '${isClean && isStrict ? 'nothing was read or named' : `${error.details.stack} ${sloppy} ${octal} ${asm}`}'`;
};
