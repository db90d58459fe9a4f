// attack: String.raw of 2^53 empty strings
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
return String.raw({ raw: new Proxy({}, { get: (_, key) => (key === 'length' ? 2 ** 53 - 1 : '') }) });
