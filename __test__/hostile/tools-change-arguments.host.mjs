// attack: a tool that keeps and changes its arguments and results; guest and host share nothing
// outcome: value [ { a: [ 1 ] }, { a: [ 1 ] } ]
// state: READY
const kept = { a: [1] };
export const tools = {
  take: (value) => {
    value.a.push(2);
    Object.freeze(value);
  },
  give: () => kept,
};
export const code = `
  const own = { a: [1] };
  take(own);
  const given = give();
  try { given.a.push(2); } catch {}
  return [own, give()];`;
