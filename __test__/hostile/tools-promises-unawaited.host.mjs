// attack: 500 calls of a tool that is no async function and gives promises that are never settled, none of them awaited
// outcome: value 'done'
// state: READY
export const tools = { wait: () => new Promise(() => {}) };
export const code = "for (let i = 0; i < 500; i++) wait({ i }); return 'done'";
