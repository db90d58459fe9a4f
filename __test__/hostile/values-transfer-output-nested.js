// attack: an output that doubles with each level, 2^40 strings in all
// outcome: ERR_TRANSFER_LIMIT_EXCEEDED
// state: READY
// peak: 192 the serialized value may have 64 MB
let text = 'x'.repeat(1e6);
return Array.from({ length: 2000 }, () => ({ [text]: text, text }));
