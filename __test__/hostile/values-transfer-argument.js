// attack: an argument of 100 GB that takes 1 MB in the guest
// outcome: ERR_TOOL_PROXY_FAIL
// state: READY
// peak: 192 the serialized value may have 64 MB
// details: {"tool":"echo","bridge":true}
echo(Array(1e5).fill('x'.repeat(1e6)));
