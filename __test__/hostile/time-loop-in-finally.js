// attack: a loop without end in finally, which the limit unwinds through
// outcome: ERR_MAX_OPS_EXCEEDED
// state: READY
try {
  for (;;);
} finally {
  for (;;);
}
