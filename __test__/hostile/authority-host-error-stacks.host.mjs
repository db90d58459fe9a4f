// attack: paths and stacks of the host by errors of its tools: message, stack, cause, errors, properties
// outcome: value 'nothing of the host'
// state: READY
export const tools = {
  leak: () => {
    const inner = Object.assign(new Error('inner'), { path: '/etc/secret' });
    const error = new AggregateError([inner, new Error('second', { cause: inner })], 'outer', { cause: inner });
    Object.assign(error, { path: '/etc/secret', stackCopy: error.stack });
    throw error;
  },
};
export const scenario = async ({ executor }) => {
  const { output } = await executor.run(`
    try { leak(); } catch (error) {
      const texts = [];
      const open = [error];
      for (const at of open) {
        for (const key of Reflect.ownKeys(at)) texts.push(String(key) + ': ' + String(at[key]));
        texts.push(at.stack);
        open.push(...[at.cause, ...(at.errors ?? [])].filter(Boolean));
      }
      if (open.length !== 5) texts.push('node: of these errors some are missing');
      return texts.join('\\n');
    }`);
  const failure = await executor.run('leak()').catch((error) => error);
  const text = `${output}\n${JSON.stringify(failure)}`;
  const leak = /host\.mjs|node:|file:|\/etc|\/work|lib\/|harness/.exec(text);
  return `value '${leak ? `leaked ${leak[0]} in ${text}` : 'nothing of the host'}'`;
};
