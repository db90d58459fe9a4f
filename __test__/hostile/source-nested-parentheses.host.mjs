// attack: 200,000 nested parentheses, brackets, braces, templates, arrows, operators and calls
// outcome: value 'all were refused'
// state: READY
// processPeak: 64 the text is the host's own, and copied on its way
// options: {"timeoutMs":8000}
// peak: 256 the parser's own stack
const nest = (open, middle, close, times = 200_000) => open.repeat(times) + middle + close.repeat(times);
export const scenario = async ({ run }) => {
  const programs = [
    nest('(', '1', ')'),
    nest('[', '', ']'),
    nest('{', '', '}'),
    nest('a(', '', ')'),
    nest('a[', '0', ']'),
    nest('()=>', '1', ''),
    nest('-~', '1', ''),
    nest('!', '1', ''),
    nest('a?', '1', ':0'),
    nest('if(1)', ';', ''),
    nest('if(1){}else ', ';', ''),
    nest('({a:', '1', '})'),
    nest('`${', '1', '}`'),
    nest('new ', 'A', ''),
    nest('await ', '1', ''),
    nest('function f(){', '', '}'),
    nest('class A{x=class{', '', '}}'),
    nest('for(;;)', ';', ''),
    nest('a=', '1', ''),
    nest('l:', ';', '', 200_000),
    nest('try{', '', '}finally{}'),
    nest('1**', '1', ''),
    nest('a?.[', '0', ']'),
    nest('[', 'a', ']=1'),
    nest('do ', ';', ' while(0)'),
    nest('(', '1', ''),
    nest('/*', '', ''),
    nest('`${', '', ''),
  ];
  for (const program of programs) {
    const outcome = await run(program);
    if (outcome !== 'ERR_VALIDATION_FAILED') return `${program.slice(0, 30)}: ${outcome}`;
  }
  return "value 'all were refused'";
};
