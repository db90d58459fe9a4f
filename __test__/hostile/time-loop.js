// attack: a loop without end
// outcome: ERR_MAX_OPS_EXCEEDED
// state: READY
for (;;);
