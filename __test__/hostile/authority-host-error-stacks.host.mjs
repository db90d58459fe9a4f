// attack: paths and stacks of the host by errors of its tools: message, stack, cause, properties
// outcome: value 'nothing of the host'
// state: READY
export const tools = {
  leak: () => {
    const error = new Error('outer', { cause: new Error('inner') });
    Object.assign(error, { path: '/etc/secret', stackCopy: error.stack });
    throw error;
  },
};
export const scenario = async ({ executor }) => {
  const { output } = await executor.run(`
    try { leak(); } catch (error) {
      const texts = [];
      for (let at = error; at; at = at.cause) {
        for (const key of Reflect.ownKeys(at)) texts.push(String(key) + ': ' + String(at[key]));
        texts.push(at.stack);
      }
      return texts.join('\\n');
    }`);
  const failure = await executor.run('leak()').catch((error) => error);
  const text = `${output}\n${JSON.stringify(failure)}`;
  const leak = /host\.mjs|node:|file:|\/etc|\/work|lib\/|harness/.exec(text);
  return `value '${leak ? `leaked ${leak[0]} in ${text}` : 'nothing of the host'}'`;
};
