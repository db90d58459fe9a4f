// attack: a loop without end in catch, around a loop that the limit ended
// outcome: ERR_MAX_OPS_EXCEEDED
// state: READY
for (;;) {
  try {
    for (;;);
  } catch {
    for (;;);
  } finally {
    continue;
  }
}
