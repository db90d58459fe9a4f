// Which calls depend on a condition.
const found = await t0('always');
if (found) t1('if');
else t1('else');
found && t1('and');
found ?? t1('default');
t1?.('optional');
const value = found ? t1('yes') : t1('no');
const { missing = t1('missing') } = {};
switch (value) {
  case 1:
    t1('case');
    break;
  default:
}
try {
  t2('may be left out');
} catch {
  t1('caught');
} finally {
  t3('always');
}
for (const name of ['a']) {
  ns.x(name);
  if (name) continue;
  ns.x('after continue');
}
do ns.y('at least once');
while (false);
const main = async () => {
  await ns.deep.z('awaited');
};
await main();
if (found === undefined) return;
t0('after return');
