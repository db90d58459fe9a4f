// attack: blobs of blobs, and forms of large blobs as bodies, without end
// outcome: value [ 'RangeError', 'RangeError' ]
// state: READY
// options: {"globals":["fetch"],"timeoutMs":30000,"maxOperations":1000000000000}
const failing = (attempt) => {
  try {
    for (;;) attempt();
  } catch (error) {
    return error.name;
  }
};
const double = () => {
  let blob = new Blob([new Uint8Array(1 << 20)]);
  return failing(() => (blob = new Blob([blob, blob])));
};
const send = () => {
  const form = new FormData();
  form.append('a', new Blob([new Uint8Array(1 << 20)]));
  const kept = [];
  return failing(() => kept.push(new Request('https://a.test/', { method: 'POST', body: form })));
};
return [double(), send()];
