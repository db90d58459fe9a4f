// attack: an output whose then calls back many times and throws afterwards
// outcome: value 'first'
// state: READY
return {
  then(resolve, reject) {
    resolve('first');
    resolve('second');
    reject(new Error('third'));
    throw new Error('fourth');
  },
};
