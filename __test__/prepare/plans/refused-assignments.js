// Tools cannot be replaced.
try {
  t0 = t1;
} catch {}
try {
  ns.x = ns.y;
} catch {}
try {
  globalThis.t2 = t3;
} catch {}
t0('still the tool');
