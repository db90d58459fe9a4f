// attack: values in logs that hold a string of half a gigabyte
// outcome: value 'done'
// state: READY
// options: {"timeoutMs":3000}
// peak: 640 the string, once it is flat
const show = (huge) => {
  console.log({ huge, list: [huge] });
  console.log('%o', huge);
};
show('x'.repeat(2 ** 29 - 100));
return 'done';
