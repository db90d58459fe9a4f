// attack: 500 calls of a tool that is not async and returns promises that never settle, and no call is awaited
// outcome: value 'done'
// state: READY
export const tools = { wait: () => new Promise(() => {}) };
export const code = "for (let i = 0; i < 500; i++) wait({ i }); return 'done'";
