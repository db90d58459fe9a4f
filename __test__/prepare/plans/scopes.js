// Names that are not the tools.
{
  const t0 = (n) => n;
  t0('own');
}
function shadowed(t0) {
  return t0('parameter');
}
shadowed((n) => n);
try {
  throw (n) => n;
} catch (t0) {
  t0('caught');
}
for (const t0 of [(n) => n]) t0('loop');
(function t0(n) {
  return n > 0 ? t0(n - 1) : 0;
})(2);

// Names that are.
{
  function t1() {}
  t1('own');
}
t1('tool: functions of blocks stay in them');
function defaults(t2 = 1, read = () => t3('tool: a parameter sees no variable of the body')) {
  var t3 = 1;
  return read(t2, t3);
}
defaults();
t2: for (;;) break t2;
try {
  var t2_ = 1;
} catch (t1) {
  var t1_ = t1;
}
\u0074\u0030('tool: an escaped name');
