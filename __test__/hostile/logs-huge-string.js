// attack: log lines of half a gigabyte
// outcome: value 'done'
// state: READY
const huge = 'x'.repeat(2 ** 29 - 100);
console.log(huge);
console.log('%s %s', huge, huge);
console.error(huge, huge);
console.group(huge);
console.assert(false, huge);
console.log(Symbol(huge));
return 'done';
