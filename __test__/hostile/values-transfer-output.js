// attack: an output of 100 GB that takes 1 MB in the guest
// outcome: ERR_TRANSFER_LIMIT_EXCEEDED
// state: READY
// peak: 192 the serialized value may have 64 MB
return Array(1e5).fill('x'.repeat(1e6));
