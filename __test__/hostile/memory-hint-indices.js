// attack: a method that an array of 50 million bytes does not have: its indices would be as many names
// outcome: ERR_RUNTIME_EXCEPTION
// state: READY
// details: {"hint":"`rows` has no `fliter`. Did you mean `filter`?"}
const rows = new Uint8Array(5e7);
rows.fliter(Boolean);
