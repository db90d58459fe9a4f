// attack: join of an array of holes with a separator
// outcome: value 120
// state: READY
// options: {"timeoutMs":20000}
// peak: 628 one string of 500 million characters, in one built-in
return Array(2.5e8).join('xx').charCodeAt(3);
