// attack: 3,000 properties of texts in one class, for which V8 takes 2.5 GB of zones
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
return new RegExp(`[${'\\p{RGI_Emoji}'.repeat(3000)}]`, 'v').source.length;
