// attack: toJSON and then as data keys that reach the host in an output
// outcome: value { toJSON: 'text', then: { catch: 1 }, toString: null, valueOf: 1 }
// state: READY
export const code = `return { toJSON: 'text', then: { catch: 1 }, toString: null, valueOf: 1 };`;
