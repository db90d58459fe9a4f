// attack: a tool whose result has getters and toJSON, which run on the host while it is cloned
// outcome: value [ { value: 1 }, 'TypeError', 'TypeError' ]
// state: READY
export const tools = {
  getter: () => ({
    get value() {
      return 1;
    },
  }),
  throwing: () => ({
    get value() {
      throw new Error('on the host');
    },
  }),
  json: () => ({ toJSON: () => 'forged' }),
};
export const code = `
  const seen = [getter()];
  for (const tool of [throwing, json]) {
    try { seen.push(tool()); } catch (error) { seen.push(error.name); }
  }
  return seen;`;
