// attack: a log line of half a gigabyte, alone, in objects, by format and as table
// outcome: value 'done'
// state: READY
// options: {"timeoutMs":6000}
const huge = 'x'.repeat(2 ** 29 - 100);
console.log(huge);
console.log({ huge, list: [huge] });
console.log('%s %o %j', huge, huge, huge);
console.table([{ huge }]);
console.error(new Error(huge));
console.count(huge);
console.time(huge);
return 'done';
