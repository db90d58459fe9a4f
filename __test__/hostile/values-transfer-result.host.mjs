// attack: a tool's result of 100 GB that takes 1 MB on the host
// outcome: ERR_TOOL_PROXY_FAIL
// state: READY
// details: {"tool":"huge","bridge":true}
// peak: 128 the serialized value may have 64 MB
// processPeak: 128 the same: tools run in the host
export const tools = { huge: () => Array(1e5).fill('x'.repeat(1e6)) };
export const code = `huge().length`;
