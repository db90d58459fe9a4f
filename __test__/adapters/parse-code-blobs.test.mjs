// `parseCodeBlobs` of `ses-executor/prompts`: the code of a model's answer.

import { describe, expect, test } from 'vitest';

import { CodeParsingError, parseCodeBlobs } from 'ses-executor/prompts';

import fc from '../fast-check.mjs';

const FENCE = '```';

/** What `parseCodeBlobs` throws. */
function failure(text, tags) {
  try {
    parseCodeBlobs(text, tags);
  } catch (error) {
    expect(error).toBeInstanceOf(CodeParsingError);
    expect(error).toMatchObject({ name: 'CodeParsingError', code: 'ERR_CODE_NOT_FOUND' });
    return error.message;
  }
  throw new Error('expected an error');
}

describe('tags', () => {
  test.each([
    ['one block', 'Thought: add\n<code>\nconst a = 1;\na + 1\n</code>', 'const a = 1;\na + 1'],
    ['on one line', 'so <code>foo()</code>, you see', 'foo()'],
    ['several blocks', '<code>\na()\n</code>\nthen\n<code>\nb()\n</code>', 'a()\n\nb()'],
    ['several blocks on one line', 'a <code>foo()</code> then <code>bar()</code> x', 'foo()\n\nbar()'],
    ['with blank blocks, which are omitted', '<code> </code><code>a()</code><code>\n</code>', 'a()'],
    ['not closed, because generation stopped there', 'Thought: x\n<code>\nfoo(1)\n', 'foo(1)'],
    ['the second one not closed', '<code>a()</code>\n<code>\nb()', 'a()\n\nb()'],
    ['closed by the agent', 'Thought: x\n<code>\nfoo(1)</code>', 'foo(1)'],
    ['closed once too often by the agent', '<code>\na()\n</code>\nThat is all.</code>', 'a()'],
    ['CRLF', '<code>\r\na()\r\nb()\r\n</code>\r\n', 'a()\nb()'],
    ['in a block quote', '> Thought: x\n>\n> <code>\n> const a = 1;\n> a > 1\n> </code>', 'const a = 1;\n  a > 1'],
    [
      'around a block quote',
      '<code>\nconst md = `\n> ~~~\n> x\n> ~~~\n`;\n</code>',
      'const md = `\n> ~~~\n> x\n> ~~~\n`;',
    ],
    ['before fences', `${FENCE}js\nno()\n${FENCE}\n<code>yes()</code>`, 'yes()'],
    ['around a fence', `<code>\n${FENCE}js\nyes()\n${FENCE}\n</code>`, `${FENCE}js\nyes()\n${FENCE}`],
    ['code that does not parse is still the code', '<code>\nconst = 1\n</code>', 'const = 1'],
    [
      'code that does not parse, without affecting the next block',
      '<code>\nfoo(;\n</code> z\n<code>\nbar()\n</code>',
      'foo(;\n\nbar()',
    ],
  ])('enclose code: %s', (_, text, code) => {
    expect(parseCodeBlobs(text)).toBe(code);
  });

  test.each([
    ['a string', 'const html = "<code>x</code>";\nfinal_answer(html)'],
    ['a template', 'const html = `\n<code>\nx\n</code>\n`;\nfinal_answer(html)'],
    ['a line comment', '// closes with </code> here\nfoo()'],
    ['a line comment that ends with one', '// closes with </code>\nfoo()'],
    ['a block comment', '/*\n</code>\n*/\nfoo()'],
    ['a regular expression', 'const tag = /<code>[^]*?<\\/code>|</code>/;'.replace('|</code>', '') + '\ntag'],
    ['several strings', 'f("</code>");\ng("</code>");\nh("<code>");'],
  ])('tags in %s do not end the code', (_, code) => {
    expect(parseCodeBlobs(`Thought: x\n<code>\n${code}\n</code>`)).toBe(code);
    expect(parseCodeBlobs(`<code>\n${code}\n</code>\nand\n<code>\nlast()\n</code>`)).toBe(`${code}\n\nlast()`);
  });

  test('tags in preceding prose do not open the block', () => {
    expect(parseCodeBlobs('I use <code> tags.\n<code>\nx = 1\n</code>')).toBe('x = 1');
    expect(parseCodeBlobs('I use <code> and again <code>.\n<code>\nfoo(2)')).toBe('foo(2)');
  });

  // `tag < code > final_answer(42)` is a program.
  test.each([
    ['a word after them', 'Thought: use the <code> tag\n<code>\nfinal_answer(6*7)\n</code>', 'final_answer(6*7)'],
    ['a label after them', 'Now a <code> block:\n  <code> \nfinal_answer(6*7)\n</code>', 'final_answer(6*7)'],
    ['at the end of a line', 'I write <code>\n<code>\nfinal_answer(6*7)', 'final_answer(6*7)'],
    ['before code that does not parse', 'use the <code> tag\n<code>\nf(6*7\n</code>', 'f(6*7'],
    ['before code with tags', 'use the <code> tag\n<code>\nf(`\n<code>\n</code>\n`)\n</code>', 'f(`\n<code>\n</code>\n`)'],
    ['between blocks', '<code>\na()\n</code>\nthe <code> tag\n<code>\nb()\n</code>', 'a()\n\nb()'],
  ])('tags in preceding prose do not open the block, with %s', (_, text, code) => {
    expect(parseCodeBlobs(text)).toBe(code);
  }); // prettier-ignore

  test.each([
    'The code goes between <code> and </code> tags.',
    "The block must start with '<code>' and end with '</code>'.",
    'I will put it in <code>...</code>.',
    '<code>search</code> comes first.',
    'I call <code>search(query)</code> and then <code>final_answer()</code>.',
    'A block begins with <code>.\nIt ends with </code>.',
  ])('inline spans of prose next to a block on separate lines are not code: %j', (prose) => {
    const block = '\n  <code>\nfinal_answer(2);\n</code>\n';
    expect(parseCodeBlobs(prose + block)).toBe('final_answer(2);');
    expect(parseCodeBlobs(block + prose)).toBe('final_answer(2);');
    expect(parseCodeBlobs(`${block}${prose}${block.slice(0, -'\n</code>\n'.length)}`)).toBe(
      'final_answer(2);\n\nfinal_answer(2);',
    );
  });

  test.each([
    ['on their own line', '<code>a()</code>\n<code>\nb()\n</code>', 'a()\n\nb()'],
    ['at the end of a line of prose', 'Then: <code>\na()\n</code>\n<code>\nb()\n</code>', 'a()\n\nb()'],
    ['next to blank ones', 'I call <code>a()</code> here.\n<code>\n</code>', 'a()'],
  ])('spans %s are blocks', (_, text, code) => {
    expect(parseCodeBlobs(text)).toBe(code);
  });

  test.each([
    ['with a block', '<think>\nDraft:\n<code>\nno();\n</code>\nNo.\n</think>\nSo:\n<code>\nyes();\n</code>', 'yes();'],
    ['with a span', '<think>I could <code>no()</code>.</think>\n<code>yes()</code>', 'yes()'],
    ['with a fence', `<think>\n${FENCE}js\nno();\n${FENCE}\n</think>\n${FENCE}js\nyes();\n${FENCE}`, 'yes();'],
    ['before a program', '<think>\nno();\n</think>\nyes();', 'yes();'],
    ['one after another', 'Hm.\n<think>no();</think>\n <think><code>no();</code></think>\n<code>\nyes();\n</code>', 'yes();'],
    ['unless they are not closed', '<think>\n<code>\nyes();\n</code>', 'yes();'],
    ['unless they are inside code', '<code>\nyes(`\n<think>\n</code>\n</think>\n`);\n</code>', 'yes(`\n<think>\n</code>\n</think>\n`);'],
    ['unless they are inside a fence', `${FENCE}js\nyes(\`\n<think>x</think>\`);\n${FENCE}`, 'yes(`\n<think>x</think>`);'],
  ])('thoughts are skipped %s', (_, text, code) => {
    expect(parseCodeBlobs(text)).toBe(code);
  }); // prettier-ignore

  test('an answer that consists of thoughts has no code', () => {
    expect(failure('<think>I could <code>no()</code>.</think>')).toContain('Your answer is empty');
  });

  test('custom tags may contain characters that are special in regular expressions', () => {
    expect(parseCodeBlobs('[js](a()) [/js]', ['[js]', '[/js]'])).toBe('(a())');
    expect(parseCodeBlobs('$*a()*$', ['$*', '*$'])).toBe('a()');
    expect(parseCodeBlobs(`x\n${FENCE}js\na(\`b\`)\n${FENCE}\ny`, [`${FENCE}js`, FENCE])).toBe('a(`b`)');
  });
});

test('code is found whatever strings, templates and comments contain', () => {
  const piece = fc.constantFrom('<code>', '</code>', '```', '```js', '\n', ' ', 'x', "'", '"', '\\');
  const text = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''));
  const statement = fc.oneof(
    text.map((held) => `f(${JSON.stringify(held)});`),
    text.map((held) => `f(\`${held.replaceAll('\\', '').replaceAll('`', '\\`')}\`);`),
    text.map((held) => `/*${held}*/ f();`),
    text.map((held) => `// ${held.replaceAll('\n', '')}\nf();`),
  );
  const program = fc.array(statement, { minLength: 1, maxLength: 3 }).map((statements) => statements.join('\n'));
  fc.assert(
    fc.property(program, (code) => {
      // No more tags than are tried.
      fc.pre(code.split('</code>').length <= 6);
      expect(parseCodeBlobs(`Thought: x\n<code>\n${code}\n</code>`)).toBe(code);
      expect(parseCodeBlobs(`Thought: x\n<code>\n${code}\n`.replaceAll('</code>', ''))).toBe(
        code.replaceAll('</code>', ''),
      );
    }),
    { numRuns: 500 },
  );
});

describe('fences', () => {
  test.each([
    'js',
    'mjs',
    'jsx',
    'javascript',
    'ts',
    'mts',
    'tsx',
    'typescript',
    'JavaScript',
    ' js',
    'js title="a.js"',
    'js {1,3}',
    'js:a.js',
  ])('marked %s enclose code', (mark) => {
    expect(parseCodeBlobs(`Thought: x\n${FENCE}${mark}\nfoo()\n${FENCE}\nDone.`)).toBe('foo()');
  });

  test.each([
    ['several', `${FENCE}js\na()\n${FENCE}\nand\n${FENCE}ts\nb()\n${FENCE}`, 'a()\n\nb()'],
    ['closed by the agent too', `${FENCE}js\na()\n${FENCE}</code>`, 'a()'],
    ['closed by the agent alone', `${FENCE}js\na()</code>`, 'a()'],
    ['not closed', `Thought: x\n${FENCE}js\na()`, 'a()'],
    ['closed at the end of a line', `${FENCE}js\na()${FENCE}`, 'a()'],
    ['indented', `1. x\n   ${FENCE}js\n   a()\n   ${FENCE}`, 'a()'],
    ['in a block quote', `> So:\n> ${FENCE}js\n> a()\n> ${FENCE}\n>\n> Done.`, 'a()'],
    ['in two block quotes', `>> ${FENCE}ts\n>> a()\n>> ${FENCE}\n\n> ${FENCE}ts\n> b()\n> ${FENCE}`, 'a()\n\nb()'],
    ['in a list in a block quote', `> 1. x\n> 2. ${FENCE}js\n>    a()\n>    ${FENCE}`, 'a()'],
    ['with tildes in a block quote', '> ~~~js\n>a()\n> ~~~', 'a()'],
    ['in a block quote that is not closed', `> ${FENCE}js\n> a()`, 'a()'],
    ['in a block quote after thoughts', `<think>\n> ${FENCE}js\n> no()\n> ${FENCE}\n</think>\n> ${FENCE}js\n> a()\n> ${FENCE}`, 'a()'],
    ['that contain a block quote', `${FENCE}js\nconst md = '> ' + \`\n> ~~~\n> x\n> ~~~\n\`;\n${FENCE}`, "const md = '> ' + `\n> ~~~\n> x\n> ~~~\n`;"],
    ['with a mark in braces', `${FENCE}{.js}\na()\n${FENCE}`, 'a()'],
    ['after a blank without width', `\u200b${FENCE}js\na()\n${FENCE}`, 'a()'],
    ['CRLF', `${FENCE}js\r\na()\r\nb()\r\n${FENCE}\r\n`, 'a()\nb()'],
    ['tildes', '~~~js\na(`b`)\n~~~', 'a(`b`)'],
    ['longer fences', `${FENCE}\`js\nconst s = "\n${FENCE}\n";\n${FENCE}\``, `const s = "\n${FENCE}\n";`],
    ['closed by a longer fence', `${FENCE}js\na()\n${FENCE}\`\`\nDone.`, 'a()'],
    ['closed by a longer fence before another block', `${FENCE}js\na()\n${FENCE}\`\`\nDone.\n${FENCE}js\nb()\n${FENCE}`, 'a()\n\nb()'],
    ['not closed by a shorter fence', `${FENCE}\`js\na(\`\n${FENCE}\n\`)\n${FENCE}\`\nDone.`, `a(\`\n${FENCE}\n\`)`],
    ['in a template', `${FENCE}js\nconst md = \`\n\\\`\\\`\\\`py\nx\n\\\`\\\`\\\`\n\`;\n${FENCE}`, 'const md = `\n\\`\\`\\`py\nx\n\\`\\`\\`\n`;'],
    ['in a comment', `${FENCE}js\n/*\n${FENCE}\n*/\na()\n${FENCE}`, `/*\n${FENCE}\n*/\na()`],
    ['with other languages in between', `${FENCE}json\n{}\n${FENCE}\n${FENCE}js\na()\n${FENCE}\n${FENCE}text\nx\n${FENCE}`, 'a()'],
    ['with code that does not parse', `${FENCE}js\nfoo(;\n${FENCE}\n${FENCE}js\nbar()\n${FENCE}`, 'foo(;\n\nbar()'],
  ])('enclose code: %s', (_, text, code) => {
    expect(parseCodeBlobs(text)).toBe(code);
  }); // prettier-ignore

  test.each(['python', 'java', 'json', 'js-like', 'jsonc', ''])('marked %j are ignored', (mark) => {
    const found = mark === '' ? 'is not marked' : `is marked "${mark}"`;
    expect(failure(`${FENCE}${mark}\nfoo()\n${FENCE}`)).toContain(
      `\nA fenced block in it ${found}: only JavaScript can run here.\n`,
    );
  });

  test('an inline code span is not a fence', () => {
    expect(failure(`Use ${FENCE}js foo()${FENCE} here`)).not.toContain('fenced block');
  });
});

describe('the whole answer', () => {
  test.each(['foo(3)', 'const a = await search("x");\na.length', 'import x from "y"; x()', 'return [1]'])(
    'is the code if it is a program: %j',
    (code) => {
      expect(parseCodeBlobs(`\n${code}\n`)).toBe(code);
      expect(parseCodeBlobs(`${code}</code>`)).toBe(code);
    },
  );
});

describe('answers in the form that models write', () => {
  const YES = 'yes();';
  test.each([
    ['thoughts whose start is in the prompt', `I could <code>no()</code> or\n<code>\nno();\n</code>\n</think>\n<code>\n${YES}\n</code>`],
    ['thoughts with a fence whose start is in the prompt', `Try\n${FENCE}js\nno();\n${FENCE}\n</think>\n\n${FENCE}js\n${YES}\n${FENCE}`],
    ['thoughts on one line whose start is in the prompt', `Hm, no(); no.</think><code>${YES}</code>`],
    ['several thoughts whose start is in the prompt', `I could <code>no()</code>.</think>\nOr\n<code>\nno();\n</code>\n</think>\n<code>\n${YES}\n</code>`],
    ['thoughts with other tags whose start is in the prompt', `no();\n</thinking>\n${FENCE}js\nno();\n${FENCE}\n</think>\n${FENCE}js\n${YES}\n${FENCE}`],
    ['the end of thoughts in a template after thoughts whose start is in the prompt', '<code>no()</code>\n</think>\n<code>\nyes(`\n</think>\n`);\n</code>', 'yes(`\n</think>\n`);'],
    ['thoughts before a program whose start is in the prompt', `no();\n</think>\n\n${YES}`],
    ['thoughts with another tag whose start is in the prompt', `<code>no()</code>\n</thinking>\n<code>\n${YES}\n</code>`],
    ['<seed:think>', `<seed:think>\n<code>\nno();\n</code>\n</seed:think>\n<code>\n${YES}\n</code>`],
    ['[THINK]', `[THINK]\n${FENCE}js\nno();\n${FENCE}\n[/THINK]\n${FENCE}js\n${YES}\n${FENCE}`],
    ['[THINK], whose start is in the prompt', `<code>no()</code>\n[/THINK]\n<code>\n${YES}\n</code>`],
    ['◁think▷', `◁think▷\n<code>no()</code>\n◁/think▷\n<code>\n${YES}\n</code>`],
    ['<antThinking>', `<antThinking>\n<code>no()</code>\n</antThinking>\n<code>\n${YES}\n</code>`],
    ['<inner_monologue>', `<inner_monologue>\n<code>no()</code>\n</inner_monologue>\n<code>\n${YES}\n</code>`],
    ['<thinking>', `<thinking>\n<code>\nno();\n</code>\n</thinking>\n<code>\n${YES}\n</code>`],
    ['<reasoning>', `<reasoning>I could <code>no()</code></reasoning>\n<code>${YES}</code>`],
    ['<thought>', `<thought>\n${FENCE}js\nno();\n${FENCE}\n</thought>\n${FENCE}js\n${YES}\n${FENCE}`],
    ['<analysis>', `<analysis>\nI could <code>no()</code>\n</analysis>\n<code>\n${YES}\n</code>`],
    ['<scratchpad>', `<scratchpad>\n${FENCE}js\nno();\n${FENCE}\n</scratchpad>\n${FENCE}js\n${YES}\n${FENCE}`],
    ['a fence after prose on its line', `Thought: go. ${FENCE}js\n${YES}\n${FENCE}`],
    ['<Think>', `<Think>\n<code>no()</code>\n</Think>\n<code>\n${YES}\n</code>`],
    ['thoughts with attributes', `<think level="high" n='2'>\n<code>no()</code>\n</think>\n<code>\n${YES}\n</code>`],
    ['thoughts within a line', `Well. <think>I could <code>no()</code></think> Now <code>${YES}</code>`],
    ['nested thoughts', `<think>a <think>b</think> <code>no()</code></think>\n<code>\n${YES}\n</code>`],
    ['a tag that a fence closes', `<code>\n${YES}\n${FENCE}\nThis says yes.`],
    ['a tag that a fence and the agent close', `<code>\n${YES}\n${FENCE}\nThis says yes.</code>`],
    ['a fence that a tag closes', `${FENCE}js\n${YES}\n</code>\nThis says yes.`],
    ['a fence that a tag closes in its line', `${FENCE}js\n${YES}</code>`],
    ['a fence that <end_code> closes', `${FENCE}js\n${YES}\n<end_code>\nDone.`],
    ['a fence and <end_code>', `${FENCE}js\n${YES}\n${FENCE}<end_code>`],
    ['a tag that <end_code> closes', `<code>\n${YES}\n<end_code>\nThis says yes.`],
    ['words after a closing fence', `${FENCE}js\n${YES}\n${FENCE} This says yes.`],
    ['words directly after a closing fence', `${FENCE}js\n${YES}\n${FENCE}This says yes`],
    ['code on the line of a fence', `${FENCE}js ${YES}\n${FENCE}`],
    ['code between fences on one line', `${FENCE}js ${YES}${FENCE}`],
    ['code on the line of a fence and on more lines', `${FENCE}javascript const a = 1;\n${YES}\n${FENCE}`, `const a = 1;\n${YES}`],
    ['a corrected block', `<code>\nconst a = 1;\nno(a);\n</code>\nNo:\n<code>\nconst a = 2;\nyes(a);\n</code>`, 'const a = 2;\nyes(a);'],
    ['a corrected fence', `${FENCE}js\nlet a = 1;\n${FENCE}\nBetter:\n${FENCE}js\nlet a = 2;\nyes(a);\n${FENCE}`, 'let a = 2;\nyes(a);'],
    ['a continued block', `<code>\nconst a = 1;\n</code>\nand\n<code>\nyes(a);\n</code>`, 'const a = 1;\n\nyes(a);'],
    ['<CODE>', `<CODE>\n${YES}\n</CODE>`],
    ['<Code> that is not closed', `So\n<Code>\n${YES}`],
    ['<code lang="js">', `<code lang="js">\n${YES}\n</code>`],
    ['<code class=\'language-js\'>', `Thought: x\n<code class='language-js'>\n${YES}\n</code>\nDone.`],
    ['a label in prose before a program', `Thought: compute\n${YES}`],
    ['labels that begin like loops', `Thought: do it for the user\nNext: while at it, switch\nCode:\n${YES}`],
    ['a program that the agent closes', `${YES}\n<end_code>`],
    ['tags in quotes in prose', `The code goes between "<code>" and "</code>".\n<code>\n${YES}\n</code>`],
    ['tags in code spans in prose', `I put it in \`<code>\` tags.\n<code>\n${YES}\n</code>`],
    ['the end of thoughts in a string of code', 'const parts = text.split("</think>");\nyes(parts);', 'const parts = text.split("</think>");\nyes(parts);'],
    ['the end of thoughts in a template of code', '<code>\nconst t = `\n</think>\n`;\nyes(t);\n</code>', 'const t = `\n</think>\n`;\nyes(t);'],
    ['tags with attributes in code', '<code>\nconst html = \'<code class="x">a</code>\';\nyes(html);\n</code>', 'const html = \'<code class="x">a</code>\';\nyes(html);'],
  ])('contain code: %s', (_, text, code = YES) => {
    expect(parseCodeBlobs(text)).toBe(code);
  }); // prettier-ignore

  test.each([
    ['a label', 'Thought: done'],
    ['a label and an empty statement', 'Thought: done;'],
    ['a label and parentheses', 'Thought: done (finally)'],
    ['a label in bold', '**Thought:** done;'],
    ['two labels', 'Thought: done;\nObservation: nothing();'],
    ['a label of two words', 'Final thought: done();'],
    ['tags in prose', 'The code must be between <code> and </code>.'],
    ['thoughts whose start is in the prompt, without an answer', 'I could <code>no()</code>.\n</think>'],
    ['thoughts and an answer in prose', '<code>no()</code></think>\nThe answer is 42.'],
  ])('there is no code in %s', (_, text) => {
    failure(text);
  });

  test.each(['loop: for (;;) break loop;', 'a: { f(); break a; }', 'const a = { Thought: 1 };'])(
    'labels and keys of programs are part of the code: %j',
    (code) => {
      expect(parseCodeBlobs(code)).toBe(code);
    },
  );
});

describe('errors say which form the model has to send', () => {
  const send = `Send your reasoning and one block of JavaScript code, for instance:
Thought: What you want to do next, and why.
<code>
// Your JavaScript code here
</code>
To give the final answer, call final_answer(value) in that block.`;
  const answer = `If this is the final answer, give it by calling final_answer in a code block, for instance:
Thought: I know the answer and return it.
<code>
final_answer("YOUR FINAL ANSWER HERE");
</code>`;
  const nothing = (text) =>
    `There is no code in your answer: nothing was found between <code> and </code>.\nYour answer was:\n${text}`;

  test.each([
    ['', `Your answer is empty: there is no code in it.\n${send}`],
    [' \n', `Your answer is empty: there is no code in it.\n${send}`],
    ['I will search the web.', `${nothing('I will search the web.')}\n${send}`],
    ['<code>\n</code>', `${nothing('<code>\n</code>')}\n${send}`],
    ['The final answer is 42.</code>', `${nothing('The final answer is 42.')}\n${answer}`],
    ['Final Answer: Paris', `${nothing('Final Answer: Paris')}\n${answer}`],
    ['42', `${nothing('42')}\n${answer}`],
    ['Paris', `${nothing('Paris')}\n${answer}`],
    [
      `${FENCE}python\nprint(1)\n${FENCE}`,
      `${nothing(`${FENCE}python\nprint(1)\n${FENCE}`)}\nA fenced block in it is marked "python": only JavaScript can run here.\n${send}`,
    ],
  ])('for the answer %j', (text, message) => {
    expect(failure(text)).toBe(message);
  });

  test('with the configured tags', () => {
    const message = failure('I will search.', ['[js]', '[/js]']);
    expect(message).toContain('nothing was found between [js] and [/js].');
    expect(message).toContain('\n[js]\n// Your JavaScript code here\n[/js]\n');
  });

  test('a long answer is quoted in part', () => {
    const message = failure(`begin ${'x '.repeat(10_000)} end`);
    expect(message.length).toBeLessThan(2_600);
    expect(message).toContain('Your answer was:\nbegin x x');
    expect(message).toMatch(/\n\[\.\.\. 18010 characters \.\.\.\]\n[x ]+ end\n/);
  });

  test.each([
    [[5], 'text must be a string, got 5'],
    [['x', ['a']], 'tags must be an array of the opening and the closing tag, got an array'],
    [['x', ['', 'b']], 'tags must hold two strings that are not blank, got ""'],
  ])('arguments of a wrong type are refused: %j', (args, message) => {
    expect(() => parseCodeBlobs(...args)).toThrow(new TypeError(message));
  });
});

describe('parsing takes time in proportion to the answer', () => {
  const hostile = {
    'opening tags': (n) => '<code>'.repeat(n / 6),
    'closing tags': (n) => '</code>'.repeat(n / 7),
    'one opening tag, then closing tags': (n) => `<code>(${'</code>'.repeat(n / 7)}`,
    'opening tags, then a closing one': (n) => `${'<code>('.repeat(n / 7)}</code>`,
    'blocks that do not parse': (n) => '<code>(</code>'.repeat(n / 14),
    'blocks that parse': (n) => '<code>a()</code>\n'.repeat(n / 17),
    'prose about tags': (n) => 'a <code>\n<code>\n'.repeat(n / 16),
    'prose about tags before a block': (n) => `${'a <code>(</code>\n'.repeat(n / 17)}<code>\na()`,
    'thoughts': (n) => '<think></think>\n'.repeat(n / 16),
    'thoughts that are not closed': (n) => '<think>\n'.repeat(n / 8),
    'ends of thoughts': (n) => '</think>\n'.repeat(n / 9),
    'backticks': (n) => '`'.repeat(n),
    'opening fences': (n) => '```js\n'.repeat(n / 6),
    'fences that do not parse': (n) => '```js\n(\n```\n'.repeat(n / 12),
    'fences of growing length': (n) => Array.from({ length: Math.sqrt(n) }, (_, i) => `${'`'.repeat(i + 3)}js\n`).join(''),
    'white space': (n) => `${' '.repeat(n)}x`,
    'white space before fences': (n) => `${' '.repeat(n / 2)}\`\`\`${' '.repeat(n / 2)}js`,
    'empty lines': (n) => ' \n'.repeat(n / 2),
    'parentheses': (n) => '('.repeat(n),
    'beginnings of tags': (n) => '<cod'.repeat(n / 4),
  }; // prettier-ignore

  /** The least of three times, in milliseconds of the processor, since others use the machine too. */
  const least = (text) => {
    const times = Array.from({ length: 3 }, () => {
      const start = process.cpuUsage();
      try {
        parseCodeBlobs(text);
      } catch (error) {
        expect(error).toBeInstanceOf(CodeParsingError);
      }
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    });
    return Math.min(...times);
  };

  test.each(Object.entries(hostile))('for %s', (_, make) => {
    const small = least(make(1 << 16));
    const large = least(make(1 << 20));
    // Sixteen times the text, so 256 times as long if the work were quadratic; less than 8 ms is the noise of a
    // collector.
    expect(large / Math.max(small, 8)).toBeLessThan(64);
  });
});
