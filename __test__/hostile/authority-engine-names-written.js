// attack: the guard's counter by its name
// outcome: ERR_VALIDATION_FAILED
// state: READY
for (;;) __smol_budget = 1e9;
