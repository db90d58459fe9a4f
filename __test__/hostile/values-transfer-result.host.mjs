// attack: a tool's result of 100 GB that takes 1 MB on the host
// outcome: ERR_TOOL_PROXY_FAIL
// state: READY
// details: {"tool":"huge","bridge":true}
// peak: 256 the pieces that are written until the limit of 64 MB is reached, and a copy of them
export const tools = { huge: () => Array(1e5).fill('x'.repeat(1e6)) };
export const code = `huge().length`;
