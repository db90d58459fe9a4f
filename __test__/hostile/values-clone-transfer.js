// attack: lists of buffers to transfer that change while the value is written: detached, twice, no buffers, holes
// outcome: value [ 'DataCloneError', 'DataCloneError', 'DataCloneError', 0, 'TypeError', 'DataCloneError' ]
// state: READY
// options: {"timeoutMs":20000}
const nameOf = (attempt) => {
  try {
    return attempt();
  } catch (error) {
    return error.name;
  }
};
const holes = (length) => {
  const list = [];
  list.length = length;
  return list;
};
const buffer = new ArrayBuffer(8);
const gone = new ArrayBuffer(8);
gone.transfer();
const during = new ArrayBuffer(8);
return [
  nameOf(() => structuredClone(1, { transfer: [buffer, buffer] })),
  nameOf(() => structuredClone(1, { transfer: [gone] })),
  nameOf(() => structuredClone(1, { transfer: [new Uint8Array(8)] })),
  nameOf(() => structuredClone({ get a() { return during.transfer().byteLength; } }, { transfer: [during] }) && during.byteLength),
  nameOf(() => structuredClone(1, { transfer: 5 })),
  nameOf(() => structuredClone(1, { transfer: holes(1e5) })),
];
