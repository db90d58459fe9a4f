// attack: a loop without end after an await
// outcome: ERR_MAX_OPS_EXCEEDED
// state: READY
await later(1);
for (;;);
