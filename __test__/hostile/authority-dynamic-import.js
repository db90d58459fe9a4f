// attack: import() of what is not allowed, with specifiers made at run time and converted by guest code
// outcome: value [ 'Import not allowed: node:fs', 'Import not allowed: data:text/javascript,1', 'Import not allowed: file:///etc/passwd', 'Import not allowed: node:fs', 'Import not allowed: ext:core/ops', 'Import not allowed: undefined' ]
// state: READY
let turn = 0;
const fickle = { toString: () => (turn++ === 0 ? 'node:fs' : 'allowed') };
const specifiers = [`node${':'}fs`, 'data:text/javascript,1', 'file:///etc/passwd', fickle, 'ext:core/ops', undefined];
const messages = [];
for (const specifier of specifiers) await import(specifier).catch((error) => messages.push(error.message));
return messages;
