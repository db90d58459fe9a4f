// Functions of earlier runs.
const greet = async (name) => await t0({ name });
let kept = { tool: t1 };
function plain() {
  return 1;
}
// ---- next run
kept.tool = t2;
const other = () => ns.x('other');
// ---- next run
await greet('Ada');
kept.tool('x');
// ---- next run
plain();
t3('own');
