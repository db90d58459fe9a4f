// attack: properties of texts that are subtracted from one another, class in class
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: DIRTY
// options: {"timeoutMs":25000}
// details: {"parked":true}
return new RegExp(`[${'[\\p{RGI_Emoji}--\\p{Emoji_Keycap_Sequence}]'.repeat(1000)}]`, 'v').source.length;
