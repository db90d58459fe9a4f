// attack: transfers of 60,000 buffers, of one buffer without end, and of numbers without end
// outcome: value [ 'undefined', 'DataCloneError', 'DataCloneError' ]
// state: READY
const nameOf = (attempt) => {
  try {
    return typeof attempt();
  } catch (error) {
    return error.name;
  }
};
const buffers = Array.from({ length: 60_000 }, () => new ArrayBuffer(0));
function* without(end) {
  for (let i = 0; ; i++) yield end ?? i;
}
return [
  nameOf(() => structuredClone(undefined, { transfer: buffers })),
  nameOf(() => structuredClone(1, { transfer: without(new ArrayBuffer(8)) })),
  nameOf(() => structuredClone(1, { transfer: without(undefined) })),
];
