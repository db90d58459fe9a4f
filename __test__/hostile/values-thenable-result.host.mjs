// attack: tools that return thenables which call back twice, synchronously, never, and throw
// outcome: value [ 'first', 'Error: getter', 'first', 'Error: thrown' ]
// state: READY
const twice = (resolve, reject) => {
  resolve('first');
  resolve('second');
  reject(new Error('third'));
};
export const tools = {
  twice: () => ({ then: twice }),
  getter: () => ({
    get then() {
      throw new Error('getter');
    },
  }),
  after: async () => ({
    then(resolve) {
      resolve('first');
      throw new Error('after');
    },
  }),
  thrown: () => ({
    then() {
      throw new Error('thrown');
    },
  }),
};
export const code = `
  const text = (error) => error.name + ': ' + error.message;
  let got;
  try { got = await getter(); } catch (error) { got = text(error); }
  return [await twice(), got, await after(), await thrown().catch(text)];`;
