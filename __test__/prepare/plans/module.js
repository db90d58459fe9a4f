// A module may call tools.
try {
  await import('unknown');
} catch {}
t0('own');
